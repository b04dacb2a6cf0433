import { sql, type RawBuilder } from 'kysely';

/**
 * Selects series with the times at which their Sessions have changed. A series in which a request has changed many
 * Sessions is selected once for that request.
 *
 * @param conditions on the Session `s`, each beginning with `and`
 */
export function seriesOfChangedSessionsSql(clinicId: number, conditions: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select distinct s.updated_at as at, s.series_id as id from session s where s.clinic_id = ${clinicId} ${conditions}`;
}

/**
 * Selects series that retention has removed, with the time of the removal.
 *
 * @param conditions on the tombstone of a Session `s`, each beginning with `and`
 */
export function removedSeriesSql(clinicId: number, conditions: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select distinct s.removed_at as at, s.series_id as id from removed_session s
    where s.clinic_id = ${clinicId} ${conditions}`;
}

/**
 * The version of a series itself, which its tombstones keep.
 *
 * @param seriesId with the name of its table
 */
export function seriesVersionSql(clinicId: number, seriesId: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`
    coalesce(
      (select version from session_series where clinic_id = ${clinicId} and id = ${seriesId}),
      (select max(series_version) from removed_session where clinic_id = ${clinicId} and series_id = ${seriesId}))`;
}

/**
 * The sum of the versions of a series' Sessions, which only increases, also when retention removes them. It is a part of
 * the versions in synchronised lists of series and homework.
 *
 * @param seriesId with the name of its table
 */
export function sessionVersionsSql(clinicId: number, seriesId: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`
    (select coalesce(sum(version), 0) from (
      select version from session where clinic_id = ${clinicId} and series_id = ${seriesId}
      union all
      select version from removed_session where clinic_id = ${clinicId} and series_id = ${seriesId}) as member)::int`;
}
