import { sql, type RawBuilder } from 'kysely';
import { formatInstant } from '../../shared/persistence/index.js';

/**
 * Builds the condition that a series ended before an instant: no Session is ahead, paused, or has changed its status since,
 * and no reminder waits, or was due or sent since. A series is removed as a whole, so that positions have no gaps and
 * digests and progress stay true. The row of the series is named `series`.
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

/** Builds the condition that a series still has homework or reminders. */
export function seriesHasSql(clinicId: number, table: 'homework' | 'reminder'): RawBuilder<unknown> {
  return sql`exists (
    select from session s join ${sql.table(table)} part on part.clinic_id = s.clinic_id and part.session_id = s.id
    where s.clinic_id = ${clinicId} and s.series_id = series.id)`;
}
