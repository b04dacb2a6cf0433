import { sql } from 'kysely';
import { MAX_COUNTED_ROWS, type MetricsQuery } from '../shared/metrics/index.js';

/** What metrics read of idempotency keys: what the clean-up has not yet deleted. */
export const idempotencyMetrics: MetricsQuery<'expired' | 'oldest'> = {
  statement: (now) => sql`
    select
      (select count(*)::int from (
        select from idempotency_key where expires_at <= ${now}::timestamptz
        order by expires_at limit ${MAX_COUNTED_ROWS}) as expired) as expired,
      coalesce((
        select extract(epoch from ${now}::timestamptz - min(expires_at))::float8
        from idempotency_key where expires_at <= ${now}::timestamptz), 0) as oldest`,
  gauges: {
    expired: {
      name: 'scheduling_idempotency_keys_expired',
      help: `Expired idempotency keys that wait for the clean-up; counted up to ${MAX_COUNTED_ROWS}.`,
    },
    oldest: {
      name: 'scheduling_idempotency_keys_expired_oldest_age_seconds',
      help: 'Time since the oldest idempotency key that waits for the clean-up has expired; 0: none waits.',
    },
  },
};
