import { raw, type FilterQuery } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { TenantEntityManager } from '../../shared/persistence/index.js';
import { toOptOutMatch } from '../domain/preference/opt-out-match.js';
import { UPCOMING_STATUSES } from '../domain/reminder-status.js';
import { Reminder } from '../domain/reminder.entity.js';

/**
 * Finds the upcoming reminders of homework by due time, without those that their recipients have opted out of. Runs in the
 * caller's transaction.
 */
@Injectable()
export class UpcomingHomeworkReminders {
  constructor(private readonly em: TenantEntityManager) {}

  /** Returns the reminders of homework. */
  find(clinicId: number, homeworkIds: readonly number[]): Promise<Reminder[]> {
    return this.findUpcoming(clinicId, { homeworkId: { $in: [...homeworkIds] } });
  }

  /** Returns the reminders in a series that are due after an instant, except those of the given Sessions. */
  findDueAfter(
    { clinicId, id }: { clinicId: number; id: string },
    dueAfter: Temporal.Instant,
    exceptSessionIds: readonly number[],
  ): Promise<Reminder[]> {
    const inSeries = 'any (select id from session where clinic_id = ? and series_id = ?)';
    return this.findUpcoming(clinicId, {
      homeworkId: { $ne: null },
      dueAt: { $gt: dueAfter },
      $and: [{ sessionId: raw(inSeries, [clinicId, id]) }, { sessionId: { $nin: [...exceptSessionIds] } }],
    });
  }

  private findUpcoming(clinicId: number, filter: FilterQuery<Reminder>): Promise<Reminder[]> {
    const where = {
      clinicId,
      status: { $in: [...UPCOMING_STATUSES] },
      [raw(toNotOptedOut, [clinicId])]: [],
      $and: [filter],
    };
    return this.em.find(Reminder, where, { orderBy: { dueAt: 'asc', id: 'asc' } });
  }
}

function toNotOptedOut(reminder: string): string {
  return `not exists (select from reminder_preference p where p.clinic_id = ? and ${toOptOutMatch('p', reminder)})`;
}
