import { sql, type RawBuilder } from 'kysely';

/**
 * Selects the series of changed Sessions with the times of the changes. If one request has changed many Sessions of a
 * series, the series is selected once for this request.
 *
 * @param conditions SQL conditions for the Session `s`, each beginning with `and`
 */
export function seriesOfChangedSessionsSql(clinicId: number, conditions: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select distinct s.updated_at as at, s.series_id as id from session s where s.clinic_id = ${clinicId} ${conditions}`;
}

/**
 * Selects the series of removed Sessions, with the time of the removal.
 *
 * @param conditions SQL conditions for the tombstone `s` of a Session, each beginning with `and`
 */
export function removedSeriesSql(clinicId: number, conditions: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select distinct s.removed_at as at, s.series_id as id from removed_session s
    where s.clinic_id = ${clinicId} ${conditions}`;
}

/**
 * Builds an expression for the version of a series itself, which its tombstones also contain.
 *
 * @param seriesId the column with the series ID, qualified with its table
 */
export function seriesVersionSql(clinicId: number, seriesId: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`
    coalesce(
      (select version from session_series where clinic_id = ${clinicId} and id = ${seriesId}),
      (select max(series_version) from removed_session where clinic_id = ${clinicId} and series_id = ${seriesId}))`;
}

/**
 * Builds an expression for the sum of the versions of a series' Sessions. It includes tombstones, so the sum never
 * decreases. It is a part of the versions of series and homework in synchronised lists.
 *
 * @param seriesId the column with the series ID, qualified with its table
 */
export function sumOfSessionVersionsSql(clinicId: number, seriesId: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`
    (select coalesce(sum(version), 0) from (
      select version from session where clinic_id = ${clinicId} and series_id = ${seriesId}
      union all
      select version from removed_session where clinic_id = ${clinicId} and series_id = ${seriesId}) as member)::int`;
}
