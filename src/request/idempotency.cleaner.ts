import { EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { sql } from 'kysely';
import { Scheduler } from '../scheduler/index.js';
import { forkForActor, formatInstant } from '../shared/persistence/index.js';
import { Clock } from '../shared/time/index.js';

/** Maximum number of rows deleted in one transaction. */
const BATCH_SIZE = 1_000;
const CLEAN_UP_JOB = 'idempotency-clean-up';
const EVERY_FIVE_MINUTES = '45 */5 * * * *';

/** Deletes expired responses. Several instances may do this at the same time. */
@Injectable()
export class IdempotencyCleaner implements OnApplicationBootstrap {
  constructor(
    private readonly em: EntityManager,
    private readonly clock: Clock,
    private readonly scheduler: Scheduler,
  ) {}

  onApplicationBootstrap(): void {
    const run = (progress: () => void) => this.deleteExpired(progress);
    this.scheduler.register({ name: CLEAN_UP_JOB, cron: EVERY_FIVE_MINUTES, run });
  }

  /**
   * Deletes all expired responses and returns the number of deleted rows.
   *
   * @param progress called after each transaction
   */
  async deleteExpired(progress: () => void = () => undefined): Promise<number> {
    for (let total = 0; ;) {
      const deleted = await this.deleteBatch();
      progress();
      total += deleted;
      if (deleted < BATCH_SIZE) return total;
    }
  }

  private deleteBatch(): Promise<number> {
    return forkForActor(this.em, { role: 'MAINTENANCE' }).transactional(async (em) => {
      const { numAffectedRows } = await sql`
        delete from idempotency_key where id in (
          select id from idempotency_key where expires_at <= ${formatInstant(this.clock.now())}::timestamptz
          order by expires_at limit ${BATCH_SIZE}
        )`.execute((em as SqlEntityManager).getKysely());
      return Number(numAffectedRows);
    });
  }
}
