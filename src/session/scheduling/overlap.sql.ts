import { sql, type RawBuilder } from 'kysely';
import { MAX_DURATION_MINUTES } from '../domain/session.entity.js';

/**
 * Selects the scheduled Sessions among the given ones, with a column `earliest`: because of the maximum duration, a
 * Session that starts before this time cannot overlap. Use this as a materialized CTE: under row-level security,
 * PostgreSQL uses the index only for plain values and not for an expression such as "starts_at - …".
 */
export function checkedSessionsSql(clinicId: number, sessionIds: readonly number[]): RawBuilder<unknown> {
  return sql`
    select id, position, caregiver_id, client_id, starts_at, ends_at,
      starts_at - ${MAX_DURATION_MINUTES}::int * interval '1 minute' as earliest
    from session where clinic_id = ${clinicId} and id = any(${sessionIds}::bigint[]) and status = 'SCHEDULED'`;
}

/**
 * Builds the condition that the Session `o` overlaps the checked Session `s` and has the same participant. Only a short
 * range of an index on the participant is read.
 */
export function overlapConditionSql(clinicId: number, participant: 'caregiver_id' | 'client_id'): RawBuilder<unknown> {
  return sql`
    o.clinic_id = ${clinicId} and o.${sql.ref(participant)} = s.${sql.ref(participant)}
    and o.starts_at < s.ends_at and o.starts_at > s.earliest and o.ends_at > s.starts_at
    and o.status = 'SCHEDULED' and o.id <> s.id`;
}
