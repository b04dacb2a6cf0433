import { EntityManager, LockMode } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { ReminderService } from '../../reminder/index.js';
import { UNTRACKED, formatInstant, bulkUpdate } from '../../shared/persistence/index.js';
import { isFixedOffset, isTimeZone } from '../../shared/time/index.js';
import { SessionSeries } from '../domain/session-series.entity.js';
import { Session } from '../domain/session.entity.js';

/** A Session that new time zone data moves: from when to when; the same where it stays and only reminders move. */
export type MovedTime = {
  session: Session;
  from: Temporal.Instant;
  to: Temporal.Instant;
  reminders: number;
};

/** Some Sessions with something ahead, in the order of their ids: up to which, what moves, and whether others follow. */
export type TimesPage = { lastId: number; isLast: boolean; moved: MovedTime[]; unknownZones: Set<string> };

/**
 * Works out again, from the wall clock and the zone that are stored, the instants of what is still ahead by the stored
 * instant, of all Clinics. To be called within a transaction as SYSTEM.
 */
@Injectable()
export class SessionTimes {
  constructor(
    private readonly em: EntityManager,
    private readonly reminders: ReminderService,
  ) {}

  /** What would move of the next Sessions. Changes nothing. */
  async compare(afterId: number, limit: number, now: Temporal.Instant): Promise<TimesPage> {
    const ids = await this.nextIds(afterId, limit, now);
    const found = await this.em.find(Session, { id: { $in: ids } }, { ...UNTRACKED, orderBy: { id: 'asc' } });
    const unknownZones = new Set(found.map(({ timeZone }) => timeZone).filter((zone) => !isKnown(zone)));
    const sessions = found.filter(({ timeZone }) => !unknownZones.has(timeZone));
    const moved: MovedTime[] = [];
    for (const session of sessions) {
      const { startsAt: from } = session;
      if (session.startsAt.epochMilliseconds > now.epochMilliseconds && session.hasOtherStart) session.recompute(now);
      moved.push({ session, from, to: session.startsAt, reminders: 0 });
    }
    await this.countReminders(moved, now);
    const isMoved = ({ from, to, reminders }: MovedTime) => reminders > 0 || !from.equals(to);
    const lastId = ids.at(-1) ?? afterId;
    return { lastId, isLast: ids.length < limit, moved: moved.filter(isMoved), unknownZones };
  }

  /** Those that are ahead, and those with a reminder that is. */
  private async nextIds(afterId: number, limit: number, now: Temporal.Instant): Promise<number[]> {
    const at = formatInstant(now);
    const { rows } = await sql<{ id: string }>`
      select id from session where id > ${afterId} and (starts_at > ${at}::timestamptz or exists (
        select from reminder where reminder.clinic_id = session.clinic_id and session_id = session.id
          and reminder.status = 'PENDING' and due_at > ${at}::timestamptz))
      order by id limit ${limit}`.execute((this.em as SqlEntityManager).getKysely());
    return rows.map(({ id }) => Number(id));
  }

  /** Moves what `compare` has found, while nobody else can change it. What has been changed meanwhile is compared again. */
  async move(found: readonly MovedTime[], now: Temporal.Instant): Promise<MovedTime[]> {
    const byClinic = Map.groupBy(found, ({ session }) => session.clinicId);
    const moved: MovedTime[] = [];
    for (const [clinicId, ofClinic] of byClinic) moved.push(...(await this.moveOf(clinicId, ofClinic, now)));
    return moved;
  }

  private async moveOf(clinicId: number, found: readonly MovedTime[], now: Temporal.Instant): Promise<MovedTime[]> {
    const seriesIds = [...new Set(found.map(({ session }) => session.seriesId))];
    const held = { ...UNTRACKED, orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE } as const;
    await this.em.find(SessionSeries, { clinicId, id: { $in: seriesIds } }, held);
    const where = { clinicId, id: { $in: found.map(({ session }) => session.id) } };
    const sessions = await this.em.find(Session, where, { ...UNTRACKED, orderBy: { id: 'asc' } });
    const starts = new Map(sessions.map((session) => [session.id, session.startsAt]));
    const isAhead = (session: Session) => session.startsAt.epochMilliseconds > now.epochMilliseconds;
    const changed = sessions.filter((session) => isAhead(session) && session.hasOtherStart);
    for (const session of changed) session.recompute(now);
    await bulkUpdate(this.em, Session, changed, { deferred: true });
    const subjects = sessions.map((session) => session.toReminderSubject());
    const reminders = await this.reminders.recompute(subjects, now);
    return sessions.map((session) => {
      return {
        session,
        from: starts.get(session.id)!,
        to: session.startsAt,
        reminders: reminders.get(session.id) ?? 0,
      };
    });
  }

  private async countReminders(moved: MovedTime[], now: Temporal.Instant): Promise<void> {
    for (const [, ofClinic] of Map.groupBy(moved, ({ session }) => session.clinicId)) {
      const subjects = ofClinic.map(({ session }) => session.toReminderSubject());
      const counts = await this.reminders.countOtherTimes(subjects, now);
      for (const time of ofClinic) time.reminders = counts.get(time.session.id) ?? 0;
    }
  }
}

/** A zone that another release has stored, or that the data does not have any more, moves nothing. */
function isKnown(timeZone: string): boolean {
  return isFixedOffset(timeZone) || isTimeZone(timeZone);
}
