import { sql, type RawBuilder } from 'kysely';
import { formatInstant } from '../../shared/persistence/index.js';
import type { Session } from '../domain/session.entity.js';

/** Session ID and start of the next Session, in milliseconds since 1970. */
export type NextStartRow = [number, number];

/**
 * Builds an SQL expression for a JSON array of `NextStartRow`: when the next Session of its series starts, for each of the
 * Sessions of one Clinic that is not the last one. The next Session is that of `findNextSession`. For each Session, it
 * reads one or two entries of an index.
 */
export function nextStartsSql(clinicId: number, sessions: readonly Readonly<Session>[]): RawBuilder<unknown> {
  // As in `checkedSessionsSql`: if PostgreSQL knew the length of the array, it would plan the statement for each call.
  return sql`(
    select json_agg(json_build_array(own.id, (extract(epoch from next.starts_at) * 1000)::int8))
    from unnest((select ${sessions.map(({ id }) => id)}::bigint[]), ${sessions.map(({ seriesId }) => seriesId)}::uuid[],
      ${sessions.map(({ startsAt }) => formatInstant(startsAt))}::timestamptz[],
      ${sessions.map(({ position }) => position)}::int[]) as own(id, series_id, starts_at, position),
      lateral (
        select starts_at from session
        where clinic_id = ${clinicId} and series_id = own.series_id and status <> 'CANCELLED'
          and starts_at >= own.starts_at and (starts_at > own.starts_at or position > own.position)
        order by starts_at limit 1) next)`;
}
