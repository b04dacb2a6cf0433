import { sql, type RawBuilder } from 'kysely';
import { formatInstant } from '../../shared/persistence/index.js';

/**
 * Builds the condition that a series ended before an instant: all its Sessions ended earlier, and so did all changes of
 * their status and all its reminders; nothing is paused. A series is only removed as a whole. Otherwise, positions
 * would have gaps, and digests and progress would be wrong. The query must name the series row `series`.
 */
export function endedSeriesSql(clinicId: number, before: Temporal.Instant): RawBuilder<unknown> {
  const limit = sql`${formatInstant(before)}::timestamptz`;
  return sql`
    series.clinic_id = ${clinicId} and series.created_at < ${limit} and series.paused_at is null
    and not exists (
      select from session s where s.clinic_id = ${clinicId} and s.series_id = series.id
        and (s.status = 'PAUSED' or s.ends_at >= ${limit} or s.created_at >= ${limit} or s.status_changed_at >= ${limit}))
    and not exists (
      select from session s join reminder r on r.clinic_id = s.clinic_id and r.session_id = s.id
      where s.clinic_id = ${clinicId} and s.series_id = series.id
        and (r.status in ('PENDING', 'QUEUED') or r.due_at >= ${limit} or r.settled_at >= ${limit}))`;
}

/** Builds the condition that a series still has rows in this table. */
export function seriesHasSql(clinicId: number, table: 'homework' | 'reminder'): RawBuilder<unknown> {
  return sql`exists (
    select from session s join ${sql.table(table)} part on part.clinic_id = s.clinic_id and part.session_id = s.id
    where s.clinic_id = ${clinicId} and s.series_id = series.id)`;
}
