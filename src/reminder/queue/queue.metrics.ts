import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { DatabaseMetrics, PoolMetrics, type MetricsQuery } from '../../shared/metrics/index.js';
import { ALL_QUEUE_NAMES } from './queue-names.js';
import { ReminderQueue } from './reminder.queue.js';

const JOB_STATES = ['deferred', 'ready', 'active'];
const SAMPLES = ALL_QUEUE_NAMES.flatMap((queue) =>
  JOB_STATES.map((state) => ({ queue, state, column: `${queue} ${state}` })),
);

/** The numbers of jobs in the queues. pg-boss updates them every few seconds. */
const queueMetricsQuery: MetricsQuery = {
  statement: () => {
    const columns = SAMPLES.map(
      ({ queue, state, column }) => sql`
        coalesce(sum(${sql.ref(`${state}_count`)}) filter (where name = ${queue}), 0)::int as ${sql.ref(column)}`,
    );
    return sql`select ${sql.join(columns)} from pgboss.queue`;
  },
  gauges: Object.fromEntries(SAMPLES.map(({ queue, state, column }) => [column, jobGauge(queue, state)])),
};

/** Registers the metrics for the jobs and connections of the queues. */
@Injectable()
export class QueueMetrics {
  constructor(database: DatabaseMetrics, pools: PoolMetrics, queue: ReminderQueue) {
    database.register(queueMetricsQuery);
    pools.register('queue', () => queue.pool);
  }
}

function jobGauge(queue: string, state: string) {
  const help = 'Jobs of each queue by state: deferred to a later attempt, ready, or active. Counted by pg-boss.';
  return { name: 'scheduling_queue_jobs', help, labels: { queue, state } };
}
