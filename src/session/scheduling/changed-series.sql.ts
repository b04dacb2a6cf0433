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
 * The sum of the versions of a series' Sessions, which only increases. It is a part of the versions in synchronised lists
 * of series and homework.
 */
export function sessionVersionsSql(clinicId: number, seriesId: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`
    (select coalesce(sum(version), 0) from session where clinic_id = ${clinicId} and series_id = ${seriesId})::int`;
}
