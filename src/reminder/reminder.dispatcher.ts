import { EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { formatInstant } from '../shared/persistence/index.js';
import { Clock } from '../shared/time/index.js';
import { ReminderQueue } from './reminder.queue.js';

/** Rows that one transaction claims: large enough to drain fast, small enough to share between instances. */
const CLAIM_BATCH = 500;

/**
 * Finds reminders that are due and hands them to the queue. Far-future reminders never enter the
 * queue: its fetch gets slower with every job that waits in it, ours does not (partial index).
 */
@Injectable()
export class ReminderDispatcher {
  constructor(
    private readonly em: EntityManager,
    private readonly queue: ReminderQueue,
    private readonly clock: Clock,
  ) {}

  /** Hands over all that is due now and returns how many. Any number of instances may do so at once. */
  async dispatchDue(): Promise<number> {
    let total = 0;
    for (;;) {
      const claimed = await this.claimBatch();
      total += claimed;
      if (claimed < CLAIM_BATCH) return total;
    }
  }

  private claimBatch(): Promise<number> {
    return this.em.transactional(async (em) => {
      const now = formatInstant(this.clock.now());
      const { rows } = await sql<{ id: string }>`
        update reminder set status = 'QUEUED', queued_at = ${now}::timestamptz
        where id in (
          select id from reminder where status = 'PENDING' and due_at <= ${now}::timestamptz
          order by due_at, id limit ${CLAIM_BATCH} for update skip locked
        )
        returning id`.execute((em as SqlEntityManager).getKysely());
      if (rows.length > 0)
        await this.queue.insert(
          em,
          rows.map((row) => Number(row.id)),
        );
      return rows.length;
    });
  }
}
