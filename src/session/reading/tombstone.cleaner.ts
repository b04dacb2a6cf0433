// eslint-disable-next-line no-restricted-imports -- The job deletes old tombstones of all Clinics.
import { EntityManager } from '@mikro-orm/core';
// eslint-disable-next-line no-restricted-imports -- The job runs its own SQL statements.
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { sql } from 'kysely';
import { runForEachClinicGroup, Scheduler } from '../../scheduler/index.js';
import { formatInstant, forkForActor, inClinicGroupSql, type ClinicGroup } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import { TOMBSTONE_RETENTION } from '../../shared/validation/index.js';

/** Maximum number of rows deleted in one transaction. */
const BATCH_SIZE = 1_000;
const CLEAN_UP_JOB = 'tombstones-clean-up';
const EVERY_HOUR = '0 37 * * * *';

/** The tombstone tables, each with its primary key and the column with the time of the tombstone. */
const TABLES = [
  { table: 'hidden_session', key: ['clinic_id', 'care_provider_id', 'session_id'], at: 'hidden_at' },
  { table: 'removed_homework', key: ['clinic_id', 'homework_id'], at: 'removed_at' },
  { table: 'removed_session', key: ['clinic_id', 'session_id'], at: 'removed_at' },
] as const;

/**
 * Deletes the tombstones that are older than any valid sync token. They stand for Sessions that a Care Provider can no
 * longer see, and for homework and Sessions that were removed. Several instances may run this at the same time.
 */
@Injectable()
export class TombstoneCleaner implements OnApplicationBootstrap {
  constructor(
    private readonly em: EntityManager,
    private readonly clock: Clock,
    private readonly scheduler: Scheduler,
  ) {}

  onApplicationBootstrap(): void {
    const run = (progress: () => void) => this.deleteOld(progress);
    this.scheduler.register({ name: CLEAN_UP_JOB, cron: EVERY_HOUR, run });
  }

  /**
   * Deletes all old tombstones and returns the number of deleted rows.
   *
   * @param progress called after each transaction
   */
  deleteOld(progress: () => void = () => undefined): Promise<number> {
    return runForEachClinicGroup(this.em, 'clean-up of tombstones', (group) => this.deleteOldOf(group, progress));
  }

  private async deleteOldOf(group: ClinicGroup, progress: () => void): Promise<number> {
    const before = this.clock.now().subtract(TOMBSTONE_RETENTION);
    let total = 0;
    for (const one of TABLES) {
      for (let deleted = BATCH_SIZE; deleted === BATCH_SIZE; total += deleted) {
        deleted = await this.deleteBatch(one, group, before);
        progress();
      }
    }
    return total;
  }

  private deleteBatch(
    { table, key, at }: (typeof TABLES)[number],
    group: ClinicGroup,
    before: Temporal.Instant,
  ): Promise<number> {
    return forkForActor(this.em, { role: 'MAINTENANCE' }).transactional(async (em) => {
      const columns = sql.join(key.map((column) => sql.ref(column)));
      const { numAffectedRows } = await sql`
        delete from ${sql.table(table)} where ${inClinicGroupSql(group)} and (${columns}) in (
          select ${columns} from ${sql.table(table)} where ${inClinicGroupSql(group)} and ${sql.ref(at)} < ${formatInstant(before)}::timestamptz
          order by ${sql.ref(at)} limit ${BATCH_SIZE}
        )`.execute((em as SqlEntityManager).getKysely());
      return Number(numAffectedRows);
    });
  }
}
