import { EntityManager, LockMode, raw } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Injectable, Logger } from '@nestjs/common';
import { sql } from 'kysely';
import { recordSystemChange } from '../audit/index.js';
import { findServingInstances } from '../instance/index.js';
import { SessionTimeRecalculation, type SessionTimeChange } from '../session/index.js';
import { forkForActor, UNTRACKED } from '../shared/persistence/index.js';
import { Clock, ZoneData } from '../shared/time/index.js';
import { ZoneDataAdoption } from './zone-data.entity.js';

/** Sessions that one transaction looks at. */
const BATCH_SIZE = 500;
/** By then an instance with older data has noticed, and writes no more: six times as often it looks. */
const REPEAT_AFTER_SECONDS = 30;
/** Any constant: of instances that start at once with newer data, one stores it. */
const ADVISORY_LOCK_KEY = 4_712_2026;

/** What moves, as an operator reads it. */
export type ZoneSummary = { timeZone: string; sessions: number; reminders: number };

/**
 * Brings what is ahead to the time zone data of this process: from the stored wall clock and zone, in batches, each of
 * them one transaction that also says how far it has come. So an instance goes on where another one was ended, and of
 * several that run at once one works.
 */
@Injectable()
export class ZoneDataRecomputation {
  private readonly logger = new Logger(ZoneDataRecomputation.name);

  constructor(
    private readonly em: EntityManager,
    private readonly times: SessionTimeRecalculation,
    private readonly zoneData: ZoneData,
    private readonly clock: Clock,
  ) {}

  /** What would move now; changes nothing. @param onMoved is told of every Session, whose reminders alone may move */
  async preview(onMoved: (moved: SessionTimeChange) => void): Promise<ZoneSummary[]> {
    const all: SessionTimeChange[] = [];
    for (let [lastId, isLast] = [0, false]; !isLast;) {
      const page = await this.asSystem().transactional(() =>
        this.times.findChanges(lastId, BATCH_SIZE, this.clock.now()),
      );
      ({ lastId, isLast } = page);
      for (const moved of page.changes) onMoved(moved);
      all.push(...page.changes);
    }
    return summarizeByZone(all);
  }

  /**
   * Stores that the data of this process is in use, where what is in use is older.
   *
   * @param evenIfOlder also where what is in use is newer: to go back
   */
  async adopt(evenIfOlder = false): Promise<void> {
    const serving = await findServingInstances({ em: this.em });
    await this.asSystem().transactional(async (em) => {
      const kysely = (em as SqlEntityManager).getKysely();
      await sql`select pg_advisory_xact_lock(${ADVISORY_LOCK_KEY})`.execute(kysely);
      const { version } = this.zoneData;
      const last = await this.findCurrentAdoption();
      if (last !== null && (last.version === version || (last.version > version && !evenIfOlder))) return;
      const others = serving.some((instance) => instance.zoneDataVersion !== version);
      await sql`
        insert into zone_data (version, previous, started_at, repeat_after)
        values (${version}, ${last?.version ?? null}, now(),
          case when ${others} then now() + interval '1 second' * ${REPEAT_AFTER_SECONDS} end)`.execute(kysely);
    });
  }

  /** Does what is to be done for the data in use, where that is the data of this process. */
  async recompute(progress: () => void): Promise<void> {
    await this.repeatWhenDue();
    while ((await this.runBatch()) === 'more') progress();
  }

  private runBatch(): Promise<'more' | 'done'> {
    return this.asSystem().transactional(async (em) => {
      const use = await this.findCurrentAdoption(LockMode.PESSIMISTIC_PARTIAL_WRITE);
      // Another instance works on it, it is finished, or the data of another instance is in use by now.
      if (use === null || use.finishedAt !== null || use.version !== this.zoneData.version) return 'done';
      const now = this.clock.now();
      const page = await this.times.findChanges(use.nextSessionId, BATCH_SIZE, now);
      const moved = await this.times.applyChanges(page.changes, now);
      await this.recordChanges(em, moved, now);
      await sql`
        update zone_data set next_session_id = ${page.lastId}, sessions = sessions + ${countSessions(moved)},
          reminders = reminders + ${countReminders(moved)}, finished_at = case when ${page.isLast} then now() end
        where id = ${use.id}`.execute((em as SqlEntityManager).getKysely());
      if (page.unknownZones.size > 0)
        this.logger.warn({ event: 'zone-data.unknown', zones: [...page.unknownZones] }, 'time zones that are unknown');
      if (page.isLast) this.logResult(use, moved);
      return page.isLast ? 'done' : 'more';
    });
  }

  private logResult({ previous, version, ...before }: ZoneDataAdoption, moved: readonly SessionTimeChange[]): void {
    const sessions = before.sessions + countSessions(moved);
    const reminders = before.reminders + countReminders(moved);
    this.logger.log({ event: 'zone-data.recomputed', previous, version, sessions, reminders }, 'time zone data in use');
  }

  private async recordChanges(
    em: EntityManager,
    moved: readonly SessionTimeChange[],
    now: Temporal.Instant,
  ): Promise<void> {
    for (const [clinicId, ofClinic] of Map.groupBy(moved, ({ session }) => session.clinicId)) {
      const records = ofClinic.flatMap(({ session: { id, seriesId, clientId } }) => [
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

export function summarizeByZone(moved: readonly SessionTimeChange[]): ZoneSummary[] {
  const zones = [...Map.groupBy(moved, ({ session }) => session.timeZone)].map(([timeZone, ofZone]) => {
    return { timeZone, sessions: countSessions(ofZone), reminders: countReminders(ofZone) };
  });
  return zones.sort((a, b) => a.timeZone.localeCompare(b.timeZone));
}

function countSessions(moved: readonly SessionTimeChange[]): number {
  return moved.filter(({ from, to }) => !from.equals(to)).length;
}

function countReminders(moved: readonly SessionTimeChange[]): number {
  return moved.reduce((sum, { reminderCount }) => sum + reminderCount, 0);
}
