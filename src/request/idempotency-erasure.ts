import { sql, type RawBuilder } from 'kysely';
import type { ErasureSubject, RowsCondition, RowsToErase } from '../shared/erasure/index.js';

/**
 * Matches the stored responses to requests whose audit entries name one of these records. Responses to erasure requests
 * contain nothing about the subject and are kept, so a retry of the confirmation gets the same response.
 */
function naming(names: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    t.records && array(${names}) and not exists (select from unnest(t.records) name where name like 'erasure/%')`;
}

/** The answers to the creation of calendar links have the secrets of the links. */
const calendarLinksOf = (column: string, { clinicId, id }: ErasureSubject) => sql`
  select 'calendar-link/' || l.id from calendar_link l where l.clinic_id = ${clinicId} and ${sql.ref(`l.${column}`)} = ${id}`;

/** The answers to the opening of an access of an administrator have its reason. */
const ofClinic: RowsCondition = ({ clinicId }) =>
  naming(sql`
    select 'clinic/' || ${clinicId}::text
    union all select 'administrator-access/' || a.id from administrator_access a where a.clinic_id = ${clinicId}`);

const ofCareProvider: RowsCondition = (careProvider) =>
  naming(sql`
    select 'care-provider/' || ${careProvider.id}::text
    union all ${calendarLinksOf('caregiver_id', careProvider)}`);

const ofClient: RowsCondition = ({ clinicId, kind, id }) =>
  naming(sql`
    select 'client/' || ${id}::text
    union all ${calendarLinksOf('client_id', { clinicId, kind, id })}
    union all select 'session/' || s.id from session s where s.clinic_id = ${clinicId} and s.client_id = ${id}
    union all select distinct 'series/' || s.series_id from session s
      where s.clinic_id = ${clinicId} and s.client_id = ${id}
    union all select 'homework/' || h.id from session s
      join homework h on h.clinic_id = s.clinic_id and h.session_id = s.id
      where s.clinic_id = ${clinicId} and s.client_id = ${id}`);

/**
 * Stored responses to requests with an `Idempotency-Key`. They are found by the records that the requests name, because
 * only their callers can decrypt them. They must be deleted before the Sessions and calendar links, which these conditions
 * read.
 */
export const STORED_RESPONSE_ROWS_TO_ERASE: readonly RowsToErase[] = [
  {
    table: 'idempotency_key',
    key: 'id',
    CLIENT: ofClient,
    CARE_PROVIDER: ofCareProvider,
    CLINIC: ofClinic,
  },
];
