import { EntityManager, LockMode, raw } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Injectable, Logger } from '@nestjs/common';
import { sql } from 'kysely';
import { recordSystemChange } from '../audit/index.js';
import { findRunningInstances } from '../instance/index.js';
import { SessionTimeRecomputation, type SessionTimeChange } from '../session/index.js';
import { forkForActor, MAX_TRANSACTION_MS, UNTRACKED } from '../shared/persistence/index.js';
import { Clock, ZoneData } from '../shared/time/index.js';
import { ZoneDataAdoption } from './zone-data.entity.js';

/** Number of Sessions processed in one transaction. */
const BATCH_SIZE = 500;
/**
 * Delay of the second run: six check intervals, after which instances with older data begin no more writes, and the longest
 * transaction of a request.
 */
const REPEAT_AFTER_SECONDS = 30 + MAX_TRANSACTION_MS / 1_000;
/** Arbitrary key of the advisory lock which ensures that only one of several instances stores a new version. */
const ADVISORY_LOCK_KEY = 4_712_2026;

/** Numbers of Sessions and reminders in one time zone whose instants change. */
export type ChangedTimeCounts = { timeZone: string; sessions: number; reminders: number };

/**
 * Recomputes the instants of future Sessions and reminders from their stored local times and time zones, using the time
 * zone data of this process. Each batch is one transaction that also stores the progress, so another instance can
 * continue after a crash. A row lock ensures that only one instance at a time processes a batch.
 */
@Injectable()
export class ZoneDataRecomputation {
  private readonly logger = new Logger(ZoneDataRecomputation.name);

  constructor(
    private readonly em: EntityManager,
    private readonly times: SessionTimeRecomputation,
    private readonly zoneData: ZoneData,
    private readonly clock: Clock,
  ) {}

  /**
   * Computes the changes without applying them.
   *
   * @param onMoved called for each Session whose start or reminder times would change
   */
  async preview(onMoved: (moved: SessionTimeChange) => void): Promise<ChangedTimeCounts[]> {
    const all: SessionTimeChange[] = [];
    for (let [lastId, isLast] = [0, false]; !isLast;) {
      const page = await this.asSystem().transactional(() =>
        this.times.findChanges(lastId, BATCH_SIZE, this.clock.now()),
      );
      ({ lastId, isLast } = page);
      for (const moved of page.changes) onMoved(moved);
      all.push(...page.changes);
    }
    return countChangesByZone(all);
  }

  /**
   * Stores this process's version as the current one if the stored version is older, or if none is stored. Without
   * Sessions, there is nothing to recompute.
   *
   * @param evenIfOlder whether to replace a newer stored version too, as in a rollback to a previous release
   */
  async adopt(evenIfOlder = false): Promise<void> {
    const running = await findRunningInstances({ em: this.em });
    await this.asSystem().transactional(async (em) => {
      const kysely = (em as SqlEntityManager).getKysely();
      await sql`select pg_advisory_xact_lock(${ADVISORY_LOCK_KEY})`.execute(kysely);
      const { version } = this.zoneData;
      const last = await this.findCurrentAdoption();
      if (last !== null && (last.version === version || (last.version > version && !evenIfOlder))) return;
      const hasOtherVersions = running.some((instance) => instance.zoneDataVersion !== version);
      const { rows } = await sql`select id from session limit 1`.execute(kysely);
      await sql`
        insert into zone_data (version, previous, started_at, finished_at, repeat_after)
        values (${version}, ${last?.version ?? null}, now(), case when ${rows.length === 0} then now() end,
          case when ${hasOtherVersions} then now() + interval '1 second' * ${REPEAT_AFTER_SECONDS} end)`.execute(
        kysely,
      );
    });
  }

  /**
   * Recomputes all remaining batches if this process has the current version.
   *
   * @param progress called between batches
   */
  async recompute(progress: () => void): Promise<void> {
    await this.repeatWhenDue();
    while ((await this.runBatch()) === 'more') progress();
  }

  private runBatch(): Promise<'more' | 'done'> {
    return this.asSystem().transactional(async (em) => {
      const adoption = await this.findCurrentAdoption(LockMode.PESSIMISTIC_PARTIAL_WRITE);
      // Either another instance holds the row lock, the work is finished, or another version has become current.
      if (adoption === null || adoption.finishedAt !== null || adoption.version !== this.zoneData.version)
        return 'done';
      const now = this.clock.now();
      const page = await this.times.findChanges(adoption.lastSessionId, BATCH_SIZE, now);
      const moved = await this.times.applyChanges(page.changes, now);
      await this.recordChanges(em, moved, now);
      await sql`
        update zone_data set next_session_id = ${page.lastId}, sessions = sessions + ${countSessions(moved)},
          reminders = reminders + ${countReminders(moved)}, finished_at = case when ${page.isLast} then now() end
        where id = ${adoption.id}`.execute((em as SqlEntityManager).getKysely());
      if (page.unknownZones.size > 0)
        this.logger.warn({ event: 'zone-data.unknown', zones: [...page.unknownZones] }, 'time zones that are unknown');
      if (!page.isLast) return 'more';
      await this.times.requestSendTimes(now);
      this.logTotals(adoption, moved);
      return 'done';
    });
  }

  private logTotals({ previous, version, ...before }: ZoneDataAdoption, moved: readonly SessionTimeChange[]): void {
    const sessions = before.sessions + countSessions(moved);
    const reminders = before.reminders + countReminders(moved);
    this.logger.log({ event: 'zone-data.recomputed', previous, version, sessions, reminders }, 'time zone data in use');
  }

  private async recordChanges(
    em: EntityManager,
    moved: readonly SessionTimeChange[],
    now: Temporal.Instant,
  ): Promise<void> {
    for (const [clinicId, changes] of Map.groupBy(moved, ({ session }) => session.clinicId)) {
      const records = changes.flatMap(({ session: { id, seriesId, clientId } }) => [
        `series/${seriesId}`,
        `session/${id}`,
        `client/${clientId}`,
      ]);
      await recordSystemChange(em, { clinicId, name: 'time zone data', records: [...new Set(records)] }, now);
    }
  }

  private async repeatWhenDue(): Promise<void> {
    await this.asSystem().transactional(async (em) => {
      await sql`
        update zone_data set next_session_id = 0, finished_at = null, repeat_after = null
        where id = (select max(id) from zone_data) and version = ${this.zoneData.version}
          and finished_at is not null and repeat_after <= now()`.execute((em as SqlEntityManager).getKysely());
    });
  }

  private async findCurrentAdoption(
    lockMode: LockMode.NONE | LockMode.PESSIMISTIC_PARTIAL_WRITE = LockMode.NONE,
  ): Promise<ZoneDataAdoption | null> {
    const newest = { id: { $in: raw('(select max(id) from zone_data)') } };
    const [last] = await this.em.find(ZoneDataAdoption, newest, { ...UNTRACKED, lockMode });
    return last ?? null;
  }

  private asSystem(): EntityManager {
    return forkForActor(this.em, { role: 'SYSTEM' });
  }
}

function countChangesByZone(moved: readonly SessionTimeChange[]): ChangedTimeCounts[] {
  const zones = [...Map.groupBy(moved, ({ session }) => session.timeZone)].map(([timeZone, changes]) => {
    return { timeZone, sessions: countSessions(changes), reminders: countReminders(changes) };
  });
  return zones.sort((a, b) => a.timeZone.localeCompare(b.timeZone));
}

function countSessions(moved: readonly SessionTimeChange[]): number {
  return moved.filter(({ from, to }) => !from.equals(to)).length;
}

function countReminders(moved: readonly SessionTimeChange[]): number {
  return moved.reduce((sum, { reminderCount }) => sum + reminderCount, 0);
}
