import { sql } from 'kysely';
import { MAX_COUNTED_ROWS, type MetricsQuery } from '../../shared/metrics/index.js';
import { DEAD_LETTERS, QUEUE } from '../queue/reminder.queue.js';

/* What metrics read of reminders and of their queue: by partial indexes, and up to a number of rows. */

type ReminderColumn = 'due' | 'oldest_due' | 'queued' | 'oldest_queued' | 'dead';

export const reminderReading: MetricsQuery<ReminderColumn> = {
  statement: (now) => sql`
    select
      (select count(*)::int from (
        select from reminder where status = 'PENDING' and send_at <= ${now}::timestamptz
        order by send_at limit ${MAX_COUNTED_ROWS}) as due) as due,
      coalesce((
        select extract(epoch from ${now}::timestamptz - min(send_at))::float8
        from reminder where status = 'PENDING' and send_at <= ${now}::timestamptz), 0) as oldest_due,
      (select count(*)::int from (
        select from reminder where status = 'QUEUED' and queued_at is not null
        order by queued_at limit ${MAX_COUNTED_ROWS}) as queued) as queued,
      coalesce((
        select extract(epoch from ${now}::timestamptz - min(queued_at))::float8
        from reminder where status = 'QUEUED' and queued_at is not null), 0) as oldest_queued,
      (select count(*)::int from (select from reminder where status = 'DEAD' limit ${MAX_COUNTED_ROWS}) as dead) as dead`,
  gauges: {
    due: { name: 'scheduling_reminders_due', help: `Reminders that are due and wait for the dispatch${upTo()}` },
    oldest_due: {
      name: 'scheduling_reminders_due_oldest_age_seconds',
      help: 'How long the oldest due reminder has been waiting for the dispatch; 0: none waits.',
    },
    queued: { name: 'scheduling_reminders_queued', help: `Reminders that wait in the queue to be delivered${upTo()}` },
    oldest_queued: {
      name: 'scheduling_reminders_queued_oldest_age_seconds',
      help: 'How long the oldest queued reminder has been in the queue; 0: none is.',
    },
    dead: { name: 'scheduling_reminders_dead', help: `Dead letters, which are only sent after a redrive${upTo()}` },
  },
};

function upTo(): string {
  return `; counted up to ${MAX_COUNTED_ROWS}.`;
}

type QueueColumn = 'deferred' | 'ready' | 'active' | 'dead_ready' | 'dead_active';

/** pg-boss counts the jobs of each queue itself every few seconds. */
export const queueReading: MetricsQuery<QueueColumn> = {
  statement: () => sql`
    select
      coalesce(sum(deferred_count) filter (where name = ${QUEUE}), 0)::int as deferred,
      coalesce(sum(ready_count) filter (where name = ${QUEUE}), 0)::int as ready,
      coalesce(sum(active_count) filter (where name = ${QUEUE}), 0)::int as active,
      coalesce(sum(ready_count) filter (where name = ${DEAD_LETTERS}), 0)::int as dead_ready,
      coalesce(sum(active_count) filter (where name = ${DEAD_LETTERS}), 0)::int as dead_active
    from pgboss.queue`,
  gauges: {
    deferred: jobs(QUEUE, 'deferred'),
    ready: jobs(QUEUE, 'ready'),
    active: jobs(QUEUE, 'active'),
    dead_ready: jobs(DEAD_LETTERS, 'ready'),
    dead_active: jobs(DEAD_LETTERS, 'active'),
  },
};

function jobs(queue: string, state: string) {
  const help = 'Jobs of the queue, as it last counted them: deferred to a later attempt, ready, or at work.';
  return { name: 'scheduling_queue_jobs', help, labels: { queue, state } };
}
