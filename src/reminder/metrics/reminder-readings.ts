import { sql } from 'kysely';
import { MAX_COUNTED_ROWS, type MetricsQuery } from '../../shared/metrics/index.js';

type ReminderColumn = 'due' | 'oldest_due' | 'queued' | 'oldest_queued' | 'dead';

/** Gauges whose values are read from the table `reminder`. Partial indexes and a row limit keep the query fast. */
export const reminderMetricsQuery: MetricsQuery<ReminderColumn> = {
  statement: (now) => sql`
    select
      (select count(*)::int from (
        select 1 from reminder where status = 'PENDING' and send_at <= ${now}::timestamptz
        order by send_at limit ${MAX_COUNTED_ROWS}) as due) as due,
      coalesce((
        select extract(epoch from ${now}::timestamptz - min(send_at))::float8
        from reminder where status = 'PENDING' and send_at <= ${now}::timestamptz), 0) as oldest_due,
      (select count(*)::int from (
        select 1 from reminder where status = 'QUEUED' and queued_at is not null
        order by queued_at limit ${MAX_COUNTED_ROWS}) as queued) as queued,
      coalesce((
        select extract(epoch from ${now}::timestamptz - min(queued_at))::float8
        from reminder where status = 'QUEUED' and queued_at is not null), 0) as oldest_queued,
      (select count(*)::int from (select 1 from reminder where status = 'DEAD' limit ${MAX_COUNTED_ROWS}) as dead) as dead`,
  gauges: {
    due: {
      name: 'scheduling_reminders_due',
      help: `Reminders that are due and not queued yet${describeLimit()}`,
    },
    oldest_due: {
      name: 'scheduling_reminders_due_oldest_age_seconds',
      help: 'Age of the oldest reminder that is due and not queued yet; 0: there is none.',
    },
    queued: {
      name: 'scheduling_reminders_queued',
      help: `Reminders that wait in the queue to be delivered${describeLimit()}`,
    },
    oldest_queued: {
      name: 'scheduling_reminders_queued_oldest_age_seconds',
      help: 'Time that the oldest queued reminder has been in the queue; 0: there is none.',
    },
    dead: {
      name: 'scheduling_reminders_dead',
      help: `Dead letters, which are sent only after a redrive${describeLimit()}`,
    },
  },
};

function describeLimit(): string {
  return `; counted up to ${MAX_COUNTED_ROWS}.`;
}
