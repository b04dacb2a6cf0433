import { sql, type RawBuilder } from 'kysely';
import { formatInstant } from '../../shared/persistence/index.js';

/** Selects the series of one Clinic that ended before an instant. */
export type EndedSeriesFilter = { clinicId: number; before: Temporal.Instant };

/**
 * Builds the condition that a series ended before an instant: its Sessions, their status changes and its reminders are
 * all older, no Session is paused, no reminder is still to be sent, and no legal hold keeps the data of its Client. A
 * paused series can have ended, because its paused Sessions can be cancelled. A series is removed only as a whole;
 * otherwise, positions would have gaps, and digests and progress would be wrong. The query must use the alias `series` for
 * the series row.
 *
 * @param heldClientIds the Clients under a legal hold
 */
export function endedSeriesConditionSql(
  { clinicId, before }: EndedSeriesFilter,
  heldClientIds: readonly number[],
): RawBuilder<unknown> {
  const limit = sql`${formatInstant(before)}::timestamptz`;
  return sql`
    series.clinic_id = ${clinicId} and series.created_at < ${limit}
    and not exists (
      select from session s where s.clinic_id = ${clinicId} and s.series_id = series.id
        and (s.status = 'PAUSED' or s.ends_at >= ${limit} or s.created_at >= ${limit} or s.status_changed_at >= ${limit}))
    and not exists (
      select from session s join reminder r on r.clinic_id = s.clinic_id and r.session_id = s.id
      where s.clinic_id = ${clinicId} and s.series_id = series.id
        and (r.status in ('PENDING', 'QUEUED') or r.due_at >= ${limit} or r.settled_at >= ${limit}))
    and not exists (
      select from session s where s.clinic_id = ${clinicId} and s.series_id = series.id
        and s.client_id = any(${[...heldClientIds]}::bigint[]))`;
}

/** Builds the condition that a series still has rows in the given table. The query must use the alias `series`. */
export function seriesHasRowsConditionSql(clinicId: number, table: 'homework' | 'reminder'): RawBuilder<unknown> {
  return sql`exists (
    select from session s join ${sql.table(table)} part on part.clinic_id = s.clinic_id and part.session_id = s.id
    where s.clinic_id = ${clinicId} and s.series_id = series.id)`;
}
