import { sql, type RawBuilder } from 'kysely';
import type { ErasureSubject, RowsCondition, RowsToErase, SubjectKind } from '../shared/erasure/index.js';
import type { TenantEntityManager } from '../shared/persistence/index.js';

/**
 * Matches the stored responses to requests whose audit entries name one of these records. Responses to erasure requests
 * contain nothing about the subject and are kept, so a retry of the confirmation gets the same response.
 */
function naming(names: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    t.records && array(${names}) and not exists (select from unnest(t.records) name where name like 'erasure/%')`;
}

/** Queries of the names of a subject's records. The answers to the opening of an access have the reason of the access. */
const namesOf = {
  CLINIC: ({ clinicId }) => sql`
    select 'clinic/' || ${clinicId}::text
    union all select 'administrator-access/' || a.id from administrator_access a where a.clinic_id = ${clinicId}`,
  CARE_PROVIDER: ({ id }) => sql`select 'care-provider/' || ${id}::text`,
  CLIENT: ({ clinicId, id }) => sql`
    select 'client/' || ${id}::text
    union all select 'session/' || s.id from session s where s.clinic_id = ${clinicId} and s.client_id = ${id}
    union all select distinct 'series/' || s.series_id from session s
      where s.clinic_id = ${clinicId} and s.client_id = ${id}
    union all select 'homework/' || h.id from session s
      join homework h on h.clinic_id = s.clinic_id and h.session_id = s.id
      where s.clinic_id = ${clinicId} and s.client_id = ${id}`,
} satisfies Record<SubjectKind, RowsCondition>;

/**
 * Stored responses to requests with an `Idempotency-Key`. They are found by the records that the requests name, because
 * only their callers can decrypt them. They must be deleted before the Sessions, which these conditions read.
 */
export const STORED_RESPONSE_ROWS_TO_ERASE: readonly RowsToErase[] = [
  {
    table: 'idempotency_key',
    key: 'id',
    CLIENT: (subject) => naming(namesOf.CLIENT(subject)),
    CARE_PROVIDER: (subject) => naming(namesOf.CARE_PROVIDER(subject)),
    CLINIC: (subject) => naming(namesOf.CLINIC(subject)),
  },
];

/**
 * Deletes the stored responses about a person in the transaction of a Clinic, so that none is sent again after it. The
 * job of erasures deletes those that concurrent requests store.
 */
export async function deleteStoredResponses(
  em: TenantEntityManager,
  subject: ErasureSubject & { kind: 'CLIENT' | 'CARE_PROVIDER' },
): Promise<void> {
  await sql`select delete_stored_answers(array(${namesOf[subject.kind](subject)}))`.execute(em.getKysely());
}
