import { sql } from 'kysely';
import { rowsOfClinic, type RowsToErase, type RowsCondition } from '../../shared/erasure/index.js';

/**
 * Matches revocations that name a single account (subject) of the person. Revocations of all tokens of the person's
 * record are kept.
 */
const ofSubjects: RowsCondition = ({ clinicId, kind, id }) => sql`
  t.clinic_id = ${clinicId} and t.subject is not null and t.role = ${kind} and t.record_id = ${id}`;

/** The revocations that an erasure deletes. */
export const REVOKED_TOKEN_HOLDER_ROWS_TO_ERASE: readonly RowsToErase[] = [
  { table: 'revoked_token_holder', CLIENT: ofSubjects, CARE_PROVIDER: ofSubjects, CLINIC: rowsOfClinic },
];
