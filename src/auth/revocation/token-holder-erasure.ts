import { sql } from 'kysely';
import { rowsOfClinic, type RowsToErase, type RowsCondition } from '../../shared/erasure/index.js';

/**
 * Matches revocations that name a single account (subject) of the person, also those of administrators. Revocations of
 * all tokens of the person's record are kept.
 */
const ofSubjects: RowsCondition = (person) => sql`
  (${rowsOfClinic(person)} or t.clinic_id is null)
  and t.subject is not null and t.role = ${person.kind} and t.record_id = ${person.id}`;

/** Matches the revocations of the Clinic, and those of administrators that name a single account of the Clinic. */
const ofClinic: RowsCondition = (clinic) => sql`
  (${rowsOfClinic(clinic)} or t.clinic_id is null and t.subject is not null and (
    t.role = 'CLINIC' and t.record_id = ${clinic.id}
    or t.role = 'CLIENT' and t.record_id = any(array(select id from client where clinic_id = ${clinic.id}))
    or t.role = 'CARE_PROVIDER' and t.record_id = any(array(select id from care_provider where clinic_id = ${clinic.id}))))`;

/** The revocations that an erasure deletes. For a Clinic, they are found by its people, so they are deleted before them. */
export const REVOKED_TOKEN_HOLDER_ROWS_TO_ERASE: readonly RowsToErase[] = [
  { table: 'revoked_token_holder', key: 'id', CLIENT: ofSubjects, CARE_PROVIDER: ofSubjects, CLINIC: ofClinic },
];
