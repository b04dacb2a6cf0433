import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { DatabaseMetrics } from '../shared/metrics/index.js';

/** Keys are counted up to this number. */
const MOST = 10_000;

/** Metrics of idempotency keys: what the clean-up has not yet deleted. */
@Injectable()
export class IdempotencyMetrics {
  constructor(metrics: DatabaseMetrics) {
    metrics.register({
      statement: (now) => sql<Record<'expired' | 'oldest', number>>`
        select
          (select count(*)::int from (
            select from idempotency_key where expires_at <= ${now}::timestamptz
            order by expires_at limit ${MOST}) as expired) as expired,
          coalesce((
            select extract(epoch from ${now}::timestamptz - min(expires_at))::float8
            from idempotency_key where expires_at <= ${now}::timestamptz), 0) as oldest`,
      gauges: {
        expired: {
          name: 'scheduling_idempotency_keys_expired',
          help: `Expired idempotency keys that wait for the clean-up; counted up to ${MOST}.`,
        },
        oldest: {
          name: 'scheduling_idempotency_keys_expired_oldest_age_seconds',
          help: 'Time since the oldest idempotency key that waits for the clean-up has expired; 0: none waits.',
        },
      },
    });
  }
}
