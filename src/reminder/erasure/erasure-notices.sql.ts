import { sql, type RawBuilder } from 'kysely';
import { formatInstant } from '../../shared/persistence/index.js';

/**
 * Builds the condition that finds the erasure notices of a Clinic that were due before an instant and will not be sent
 * any more. They belong to no Session, so their retention does not depend on that of a series.
 */
export function endedErasureNoticesConditionSql(clinicId: number, before: Temporal.Instant): RawBuilder<unknown> {
  const limit = sql`${formatInstant(before)}::timestamptz`;
  return sql`
    clinic_id = ${clinicId} and erased_session_id is not null and status not in ('PENDING', 'QUEUED')
    and due_at < ${limit} and (settled_at is null or settled_at < ${limit})`;
}

/**
 * Selects the notices about Sessions of a Client that is being erased, with the names of the notice and of its
 * recipient in audit entries.
 */
export function noticesAboutErasedClientSql(clinicId: number, clientId: number): RawBuilder<{ names: string[] }> {
  return sql`
    select array['reminder/' || id, 'care-provider/' || recipient_id] as names from reminder
    where clinic_id = ${clinicId} and erased_session_id in (
      select id from session where clinic_id = ${clinicId} and client_id = ${clientId})
    order by id`;
}
