import { sql } from 'kysely';
import { MAX_COUNTED_ROWS, type MetricsQuery } from '../shared/metrics/index.js';

/** Metrics for idempotency keys that have expired but have not yet been deleted. */
export const idempotencyMetricsQuery: MetricsQuery<'expired' | 'oldest'> = {
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
      help: `Expired idempotency keys that are not deleted yet; counted up to ${MAX_COUNTED_ROWS}.`,
    },
    oldest: {
      name: 'scheduling_idempotency_keys_expired_oldest_age_seconds',
      help: 'Time since the expiry of the oldest idempotency key that is not deleted yet; 0: there is none.',
    },
  },
};
