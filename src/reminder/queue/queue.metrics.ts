import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { DatabaseMetrics, PoolMetrics, type MetricsQuery } from '../../shared/metrics/index.js';
import { DEAD_LETTER_QUEUE_NAME, REMINDER_QUEUE_NAME, ReminderQueue } from './reminder.queue.js';

type QueueColumn = 'deferred' | 'ready' | 'active' | 'dead_ready' | 'dead_active';

/** The numbers of jobs in the queue. pg-boss updates them every few seconds. */
const queueMetricsQuery: MetricsQuery<QueueColumn> = {
  statement: () => sql`
    select
      coalesce(sum(deferred_count) filter (where name = ${REMINDER_QUEUE_NAME}), 0)::int as deferred,
      coalesce(sum(ready_count) filter (where name = ${REMINDER_QUEUE_NAME}), 0)::int as ready,
      coalesce(sum(active_count) filter (where name = ${REMINDER_QUEUE_NAME}), 0)::int as active,
      coalesce(sum(ready_count) filter (where name = ${DEAD_LETTER_QUEUE_NAME}), 0)::int as dead_ready,
      coalesce(sum(active_count) filter (where name = ${DEAD_LETTER_QUEUE_NAME}), 0)::int as dead_active
    from pgboss.queue`,
  gauges: {
    deferred: jobGauge(REMINDER_QUEUE_NAME, 'deferred'),
    ready: jobGauge(REMINDER_QUEUE_NAME, 'ready'),
    active: jobGauge(REMINDER_QUEUE_NAME, 'active'),
    dead_ready: jobGauge(DEAD_LETTER_QUEUE_NAME, 'ready'),
    dead_active: jobGauge(DEAD_LETTER_QUEUE_NAME, 'active'),
  },
};

/** Registers the metrics for the queue's jobs and connections. */
@Injectable()
export class QueueMetrics {
  constructor(database: DatabaseMetrics, pools: PoolMetrics, queue: ReminderQueue) {
    database.register(queueMetricsQuery);
    pools.register('queue', () => queue.pool);
  }
}

function jobGauge(queue: string, state: string) {
  const help = 'Jobs of the queue by state: deferred to a later attempt, ready, or active. Counted by pg-boss.';
  return { name: 'scheduling_queue_jobs', help, labels: { queue, state } };
}
