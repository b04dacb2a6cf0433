import { sql } from 'kysely';
import { ofClinic, type ErasedRows, type OwnRows } from '../../shared/erasure/index.js';

/**
 * Matches revocations that name a single account (subject) of the person. Revocations of all tokens of the person's
 * record are kept.
 */
const ofSubjects: OwnRows = ({ clinicId, kind, id }) => sql`
  t.clinic_id = ${clinicId} and t.subject is not null and t.role = ${kind} and t.record_id = ${id}`;

export const ERASED_TOKEN_HOLDERS: readonly ErasedRows[] = [
  { table: 'revoked_token_holder', CLIENT: ofSubjects, CARE_PROVIDER: ofSubjects, CLINIC: ofClinic },
];
