import { EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { sql } from 'kysely';
import { actingAs, formatInstant } from '../shared/persistence/index.js';
import { Ticks } from '../shared/schedule/index.js';
import { Clock } from '../shared/time/index.js';

/** Rows that one transaction deletes. */
const BATCH = 1_000;
const CLEAN_UP = 'idempotency-clean-up';
const EVERY_FIVE_MINUTES = '45 */5 * * * *';

/** Deletes the answers that have expired. Any number of instances may do so at once. */
@Injectable()
export class IdempotencyCleaner {
  constructor(
    private readonly em: EntityManager,
    private readonly clock: Clock,
    private readonly ticks: Ticks,
  ) {}

  @Cron(EVERY_FIVE_MINUTES, { name: CLEAN_UP, timeZone: 'UTC', waitForCompletion: true })
  tick(): Promise<void> {
    return this.ticks.attempt(CLEAN_UP, () => this.deleteExpired());
  }

  /** Returns how many. */
  async deleteExpired(): Promise<number> {
    for (let total = 0; ;) {
      const deleted = await this.deleteBatch();
      total += deleted;
      if (deleted < BATCH) return total;
    }
  }

  private deleteBatch(): Promise<number> {
    return actingAs(this.em, { role: 'MAINTENANCE' }).transactional(async (em) => {
      const { numAffectedRows } = await sql`
        delete from idempotency_key where id in (
          select id from idempotency_key where expires_at <= ${formatInstant(this.clock.now())}::timestamptz
          order by expires_at limit ${BATCH}
        )`.execute((em as SqlEntityManager).getKysely());
      return Number(numAffectedRows);
    });
  }
}
