import { raw } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { TenantEntityManager } from '../../shared/persistence/index.js';
import { toOptOutMatch } from '../domain/preference/opt-out-match.js';
import { UPCOMING_STATUSES } from '../domain/reminder-status.js';
import { Reminder } from '../domain/reminder.entity.js';

/** Finds the upcoming reminders of homework. Runs in the caller's transaction. */
@Injectable()
export class UpcomingHomeworkReminders {
  constructor(private readonly em: TenantEntityManager) {}

  /** Returns the unsent reminders, without those that their recipients have opted out of, ordered by due time. */
  async find(clinicId: number, homeworkIds: readonly number[]): Promise<Reminder[]> {
    const where = {
      clinicId,
      homeworkId: { $in: [...homeworkIds] },
      status: { $in: [...UPCOMING_STATUSES] },
      [raw(toNotOptedOut, [clinicId])]: [],
    };
    return this.em.find(Reminder, where, { orderBy: { dueAt: 'asc', id: 'asc' } });
  }
}

function toNotOptedOut(reminder: string): string {
  return `not exists (select from reminder_preference p where p.clinic_id = ? and ${toOptOutMatch('p', reminder)})`;
}
