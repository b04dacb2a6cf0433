import { LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { FOR_BULK_UPDATE, TenantEntityManager, bulkUpdate } from '../../shared/persistence/index.js';
import { hasOutdatedTimes } from '../domain/reminder-rule.js';
import { Reminder } from '../domain/reminder.entity.js';
import type { SessionSnapshot } from '../domain/session-data.js';
import { canStoreNewTimes } from '../domain/storable-due-times.js';
import { TimeSettingsByRecipient, TimeSettingsReader } from './time-settings-reader.js';

type OutdatedReminder = { reminder: Reminder; session: SessionSnapshot };

/**
 * Recomputes the due times of reminders that are not yet due, after time zone data has changed. Sessions that are
 * passed together must belong to the same Clinic.
 */
@Injectable()
export class DueTimeRecomputation {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly timeSettings: TimeSettingsReader,
  ) {}

  /** @returns the number of changed reminders, by Session ID */
  async recompute(sessions: readonly SessionSnapshot[], now: Temporal.Instant): Promise<Map<number, number>> {
    const outdated = await this.findOutdated(sessions, now, { isLocked: true });
    const settings = await this.findTimeSettings(outdated);
    const changed = outdated.filter(({ reminder, session }) => {
      const recipientSettings = settings.get(reminder.recipientKind, reminder.recipientId);
      if (!canStoreNewTimes(reminder, session, now, recipientSettings)) return false;
      reminder.reschedule(session, now, recipientSettings);
      return true;
    });
    const reminders = changed.map(({ reminder }) => reminder);
    await bulkUpdate(this.em, Reminder, reminders, { deferred: true });
    return countBySession(changed);
  }

  /** The number of reminders that `recompute` would change, by Session ID. */
  async countOutdated(sessions: readonly SessionSnapshot[], now: Temporal.Instant): Promise<Map<number, number>> {
    return countBySession(await this.findOutdated(sessions, now, { isLocked: false }));
  }

  private async findOutdated(
    sessions: readonly SessionSnapshot[],
    now: Temporal.Instant,
    { isLocked }: { isLocked: boolean },
  ): Promise<OutdatedReminder[]> {
    const [first] = sessions;
    if (first === undefined) return [];
    const sessionsById = new Map(sessions.map((session) => [session.sessionId, session]));
    const notYetDue = { status: 'PENDING' as const, dueAt: { $gt: now } };
    const where = { clinicId: first.clinicId, sessionId: { $in: [...sessionsById.keys()] }, ...notYetDue };
    const reminders = await this.em.find(Reminder, where, {
      ...{ ...FOR_BULK_UPDATE, orderBy: { id: 'asc' } },
      ...(isLocked && { lockMode: LockMode.PESSIMISTIC_WRITE }),
    });
    return reminders
      .map((reminder) => ({ reminder, session: sessionsById.get(reminder.subjectSessionId)! }))
      .filter(
        ({ reminder, session }) => hasOutdatedTimes(reminder, session) && canStoreNewTimes(reminder, session, now),
      );
  }

  private async findTimeSettings(outdated: readonly OutdatedReminder[]): Promise<TimeSettingsByRecipient> {
    const sessions = outdated.map(({ session }) => session);
    return this.timeSettings.findForSessions(
      sessions,
      outdated.some(({ reminder }) => reminder.kind === 'HOMEWORK'),
    );
  }
}

function countBySession(outdated: readonly OutdatedReminder[]): Map<number, number> {
  const groups = Map.groupBy(outdated, ({ session }) => session.sessionId);
  return new Map([...groups].map(([sessionId, group]) => [sessionId, group.length]));
}
