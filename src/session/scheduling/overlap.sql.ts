import { sql, type RawBuilder } from 'kysely';
import { formatInstant } from '../../shared/persistence/index.js';
import { MAX_DURATION_MINUTES, type Session } from '../domain/session.entity.js';

/**
 * Selects the scheduled Sessions among the given ones, with a column `earliest`: because of the maximum duration, a
 * Session that starts before this time cannot overlap. The values are sent with the statement, because PostgreSQL may
 * read all Sessions of a Clinic to find them by their IDs. Use this as a materialized CTE: under row-level security,
 * PostgreSQL uses the index only for plain values and not for an expression such as "starts_at - …".
 */
export function checkedSessionsSql(sessions: readonly Readonly<Session>[]): RawBuilder<unknown> {
  const scheduled = sessions.filter(({ status }) => status === 'SCHEDULED');
  // The first array is a subquery: if PostgreSQL knew its length, it would plan the statement again for each call.
  return sql`
    select *, starts_at - ${MAX_DURATION_MINUTES}::int * interval '1 minute' as earliest
    from unnest((select ${scheduled.map(({ id }) => id)}::bigint[]),
      ${scheduled.map(({ caregiverId }) => caregiverId)}::bigint[], ${scheduled.map(({ clientId }) => clientId)}::bigint[],
      ${scheduled.map(({ startsAt }) => formatInstant(startsAt))}::timestamptz[],
      ${scheduled.map(({ endsAt }) => formatInstant(endsAt))}::timestamptz[]
    ) as given (id, caregiver_id, client_id, starts_at, ends_at)`;
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
