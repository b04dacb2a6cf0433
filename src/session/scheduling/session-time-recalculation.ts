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
export type SessionTimeChange = {
  session: Session;
  from: Temporal.Instant;
  to: Temporal.Instant;
  reminderCount: number;
};

/** Some Sessions with something ahead, in the order of their ids: up to which, what moves, and whether others follow. */
export type RecalculationPage = {
  lastId: number;
  isLast: boolean;
  changes: SessionTimeChange[];
  unknownZones: Set<string>;
};

/**
 * Works out again, from the wall clock and the zone that are stored, the instants of what is still ahead by the stored
 * instant, of all Clinics. To be called within a transaction as SYSTEM.
 */
@Injectable()
export class SessionTimeRecalculation {
  constructor(
    private readonly em: EntityManager,
    private readonly reminders: ReminderService,
  ) {}

  /** What would move of the next Sessions. Changes nothing. */
  async findChanges(afterId: number, limit: number, now: Temporal.Instant): Promise<RecalculationPage> {
    const ids = await this.findNextIds(afterId, limit, now);
    const found = await this.em.find(Session, { id: { $in: ids } }, { ...UNTRACKED, orderBy: { id: 'asc' } });
    const unknownZones = new Set(found.map(({ timeZone }) => timeZone).filter((zone) => !isSupportedZone(zone)));
    const sessions = found.filter(({ timeZone }) => !unknownZones.has(timeZone));
    const moved: SessionTimeChange[] = [];
    for (const session of sessions) {
      const { startsAt: from } = session;
      if (session.startsAt.epochMilliseconds > now.epochMilliseconds && session.hasOutdatedStart)
        session.recomputeTimes(now);
      moved.push({ session, from, to: session.startsAt, reminderCount: 0 });
    }
    await this.countReminders(moved, now);
    const isMoved = ({ from, to, reminderCount }: SessionTimeChange) => reminderCount > 0 || !from.equals(to);
    const lastId = ids.at(-1) ?? afterId;
    return { lastId, isLast: ids.length < limit, changes: moved.filter(isMoved), unknownZones };
  }

  /** Those that are ahead, and those with a reminder that is. */
  private async findNextIds(afterId: number, limit: number, now: Temporal.Instant): Promise<number[]> {
    const at = formatInstant(now);
    const { rows } = await sql<{ id: string }>`
      select id from session where id > ${afterId} and (starts_at > ${at}::timestamptz or exists (
        select from reminder where reminder.clinic_id = session.clinic_id and session_id = session.id
          and reminder.status = 'PENDING' and due_at > ${at}::timestamptz))
      order by id limit ${limit}`.execute((this.em as SqlEntityManager).getKysely());
    return rows.map(({ id }) => Number(id));
  }

  /** Moves what `compare` has found, while nobody else can change it. What has been changed meanwhile is compared again. */
  async applyChanges(found: readonly SessionTimeChange[], now: Temporal.Instant): Promise<SessionTimeChange[]> {
    const byClinic = Map.groupBy(found, ({ session }) => session.clinicId);
    const moved: SessionTimeChange[] = [];
    for (const [clinicId, ofClinic] of byClinic)
      moved.push(...(await this.applyChangesOfClinic(clinicId, ofClinic, now)));
    return moved;
  }

  private async applyChangesOfClinic(
    clinicId: number,
    found: readonly SessionTimeChange[],
    now: Temporal.Instant,
  ): Promise<SessionTimeChange[]> {
    const seriesIds = [...new Set(found.map(({ session }) => session.seriesId))];
    const held = { ...UNTRACKED, orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE } as const;
    await this.em.find(SessionSeries, { clinicId, id: { $in: seriesIds } }, held);
    const where = { clinicId, id: { $in: found.map(({ session }) => session.id) } };
    const sessions = await this.em.find(Session, where, { ...UNTRACKED, orderBy: { id: 'asc' } });
    const starts = new Map(sessions.map((session) => [session.id, session.startsAt]));
    const isAhead = (session: Session) => session.startsAt.epochMilliseconds > now.epochMilliseconds;
    const changed = sessions.filter((session) => isAhead(session) && session.hasOutdatedStart);
    for (const session of changed) session.recomputeTimes(now);
    await bulkUpdate(this.em, Session, changed, { deferred: true });
    const subjects = sessions.map((session) => session.toSnapshot());
    const reminders = await this.reminders.recomputeDueTimes(subjects, now);
    return sessions.map((session) => {
      return {
        session,
        from: starts.get(session.id)!,
        to: session.startsAt,
        reminderCount: reminders.get(session.id) ?? 0,
      };
    });
  }

  private async countReminders(moved: SessionTimeChange[], now: Temporal.Instant): Promise<void> {
    for (const [, ofClinic] of Map.groupBy(moved, ({ session }) => session.clinicId)) {
      const subjects = ofClinic.map(({ session }) => session.toSnapshot());
      const counts = await this.reminders.countOutdatedTimes(subjects, now);
      for (const time of ofClinic) time.reminderCount = counts.get(time.session.id) ?? 0;
    }
  }
}

/** A zone that another release has stored, or that the data does not have any more, moves nothing. */
function isSupportedZone(timeZone: string): boolean {
  return isFixedOffset(timeZone) || isTimeZone(timeZone);
}
