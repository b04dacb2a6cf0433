import { sql } from 'kysely';
import { MAX_COUNTED_ROWS, type MetricsQuery } from '../shared/metrics/index.js';

/**
 * How many of the first unsealed entries are examined to find the oldest one. Several are needed, because an entry may
 * have been deleted before it was sealed.
 */
const CANDIDATES = 100;

/** Metrics for audit entries that are not yet sealed, and for entries in the default partition. */
export const auditMetricsQuery: MetricsQuery<'unsealed' | 'oldest' | 'outside'> = {
  statement: (now) => sql`
    select
      (select count(*)::int from (
        select from audit_unsealed order by entry_id limit ${MAX_COUNTED_ROWS}) as unsealed) as unsealed,
      coalesce((
        select extract(epoch from ${now}::timestamptz - entry.at)::float8
        from (select entry_id, at from audit_unsealed order by entry_id limit ${CANDIDATES}) as candidate
        cross join lateral (
          select at from audit_entry where id = candidate.entry_id and at = candidate.at limit 1) as entry
        order by candidate.entry_id limit 1), 0) as oldest,
      (select count(*)::int from (select from audit_entry_default limit ${MAX_COUNTED_ROWS}) as rest) as outside`,
  gauges: {
    unsealed: {
      name: 'scheduling_audit_unsealed',
      help: `Entries of the audit trail that are not sealed yet; counted up to ${MAX_COUNTED_ROWS}.`,
    },
    oldest: {
      name: 'scheduling_audit_unsealed_oldest_age_seconds',
      help: 'Age of the oldest entry of the audit trail that is not sealed yet; 0: there is none.',
    },
    outside: {
      name: 'scheduling_audit_default_partition_entries',
      help: `Entries of the audit trail for whose month there is no partition; counted up to ${MAX_COUNTED_ROWS}.`,
    },
  },
};
