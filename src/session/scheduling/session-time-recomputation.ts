// eslint-disable-next-line no-restricted-imports -- The job processes the Sessions of all Clinics.
import { EntityManager, LockMode } from '@mikro-orm/core';
// eslint-disable-next-line no-restricted-imports -- The job processes the Sessions of all Clinics.
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { DueTimeRecomputation, requestReplanningOfQuietHours } from '../../reminder/index.js';
import { UNTRACKED, formatInstant, bulkUpdate } from '../../shared/persistence/index.js';
import { isSupportedZone } from '../../shared/time/index.js';
import { SessionSeries } from '../domain/session-series.entity.js';
import { Session } from '../domain/session.entity.js';
import { WITHOUT_TEXTS } from './without-texts.js';

/**
 * Maximum number of Sessions that a batch examines. Most Sessions are in the past, so a search for upcoming ones without this
 * limit would take longer than a statement may take.
 */
const MAX_EXAMINED = 5_000;

/** The effect of new time zone data on a Session. `from` equals `to` when only reminders change. */
export type SessionTimeChange = {
  session: Session;
  from: Temporal.Instant;
  to: Temporal.Instant;
  reminderCount: number;
};

/** The result for one batch of Sessions, ordered by ID. The next batch starts after `lastId`. */
type RecomputationBatch = {
  lastId: number;
  isLast: boolean;
  changes: SessionTimeChange[];
  unknownZones: Set<string>;
};

/**
 * Recomputes the instants of future Sessions and reminders of all Clinics from their local times after time zone data
 * has changed. Call these methods within a transaction of the SYSTEM actor. Sessions are read without their texts, which a
 * command without the keys of the installation cannot decrypt.
 */
@Injectable()
export class SessionTimeRecomputation {
  constructor(
    private readonly em: EntityManager,
    private readonly dueTimes: DueTimeRecomputation,
  ) {}

  /** Finds the changes to the next batch of at most `limit` Sessions without writing them. */
  async findChanges(afterId: number, limit: number, now: Temporal.Instant): Promise<RecomputationBatch> {
    const examined = await this.findExaminedRange(afterId);
    const ids = await this.findUpcomingIds(afterId, examined.lastId, limit, now);
    const options = { ...WITHOUT_TEXTS, orderBy: { id: 'asc' } } as const;
    const found = (await this.em.find(Session, { id: { $in: ids } }, options)) as Session[];
    // Sessions in a zone that the data lacks are skipped.
    const unknownZones = new Set(found.map(({ timeZone }) => timeZone).filter((zone) => !isSupportedZone(zone)));
    const sessions = found.filter(({ timeZone }) => !unknownZones.has(timeZone));
    const changes: SessionTimeChange[] = [];
    for (const session of sessions) {
      const { startsAt: from } = session;
      if (session.startsAt.epochMilliseconds > now.epochMilliseconds && session.hasOutdatedStart)
        session.recomputeTimes(now);
      changes.push({ session, from, to: session.startsAt, reminderCount: 0 });
    }
    await this.countReminders(changes, now);
    const hasChanged = ({ from, to, reminderCount }: SessionTimeChange) => reminderCount > 0 || !from.equals(to);
    const isFull = ids.length === limit;
    const lastId = isFull ? ids.at(-1)! : examined.lastId;
    return { lastId, isLast: !isFull && examined.isLast, changes: changes.filter(hasChanged), unknownZones };
  }

  /** Returns the ID of the last Session that the next batch examines, and whether no Session follows. */
  private async findExaminedRange(afterId: number): Promise<{ lastId: number; isLast: boolean }> {
    const { rows } = await sql<{ last_id: string | null; examined: number }>`
      select max(id) as last_id, count(*)::int as examined from (
        select id from session where id > ${afterId} order by id limit ${MAX_EXAMINED}) as examined`.execute(
      (this.em as SqlEntityManager).getKysely(),
    );
    const { last_id: lastId, examined } = rows[0]!;
    return { lastId: Number(lastId ?? afterId), isLast: examined < MAX_EXAMINED };
  }

  /** Returns the IDs of Sessions that start in the future or have a pending reminder due in the future. */
  private async findUpcomingIds(
    afterId: number,
    lastId: number,
    limit: number,
    now: Temporal.Instant,
  ): Promise<number[]> {
    const at = formatInstant(now);
    const { rows } = await sql<{ id: string }>`
      select id from session where id > ${afterId} and id <= ${lastId} and (starts_at > ${at}::timestamptz or exists (
        select from reminder where reminder.clinic_id = session.clinic_id and session_id = session.id
          and reminder.status = 'PENDING' and due_at > ${at}::timestamptz))
      order by id limit ${limit}`.execute((this.em as SqlEntityManager).getKysely());
    return rows.map(({ id }) => Number(id));
  }

  /** Locks the series of the given Sessions, computes the changes again, and writes and returns them. */
  async applyChanges(found: readonly SessionTimeChange[], now: Temporal.Instant): Promise<SessionTimeChange[]> {
    const byClinic = Map.groupBy(found, ({ session }) => session.clinicId);
    const applied: SessionTimeChange[] = [];
    for (const [clinicId, ofClinic] of byClinic)
      applied.push(...(await this.applyChangesOfClinic(clinicId, ofClinic, now)));
    return applied;
  }

  /** Requests, after the last batch, that a job recomputes the send times that depend on quiet hours. */
  requestSendTimes(now: Temporal.Instant): Promise<void> {
    return requestReplanningOfQuietHours(this.em, now);
  }

  private async applyChangesOfClinic(
    clinicId: number,
    found: readonly SessionTimeChange[],
    now: Temporal.Instant,
  ): Promise<SessionTimeChange[]> {
    const seriesIds = [...new Set(found.map(({ session }) => session.seriesId))];
    const lockOptions = { ...UNTRACKED, orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE } as const;
    await this.em.find(SessionSeries, { clinicId, id: { $in: seriesIds } }, lockOptions);
    const where = { clinicId, id: { $in: found.map(({ session }) => session.id) } };
    const sessions = (await this.em.find(Session, where, { ...WITHOUT_TEXTS, orderBy: { id: 'asc' } })) as Session[];
    const starts = new Map(sessions.map((session) => [session.id, session.startsAt]));
    const isFuture = (session: Session) => session.startsAt.epochMilliseconds > now.epochMilliseconds;
    const changed = sessions.filter((session) => isFuture(session) && session.hasOutdatedStart);
    for (const session of changed) session.recomputeTimes(now);
    await bulkUpdate(this.em, Session, changed, { deferred: true, withoutTexts: true });
    const subjects = sessions.map((session) => session.toSnapshot());
    const reminders = await this.dueTimes.recompute(subjects, now);
    return sessions.map((session) => {
      return {
        session,
        from: starts.get(session.id)!,
        to: session.startsAt,
        reminderCount: reminders.get(session.id) ?? 0,
      };
    });
  }

  private async countReminders(changes: SessionTimeChange[], now: Temporal.Instant): Promise<void> {
    for (const [, ofClinic] of Map.groupBy(changes, ({ session }) => session.clinicId)) {
      const subjects = ofClinic.map(({ session }) => session.toSnapshot());
      const counts = await this.dueTimes.countOutdated(subjects, now);
      for (const change of ofClinic) change.reminderCount = counts.get(change.session.id) ?? 0;
    }
  }
}
