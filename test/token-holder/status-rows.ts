import { sql } from 'kysely';
import type { RecordFactory } from '../support/contract/tenant.js';
import { createStatusRow, type StatusRows } from '../support/status-row.js';

/** Creates a revocation for a subject that no test uses, so that it affects no token of the tests. */
const liveRevocation =
  (isOfClinic: boolean): RecordFactory =>
  async ({ app, fixture }) => {
    const clinicId = isOfClinic ? fixture.clinicId : null;
    const subject = 'user-9';
    const [role, recordId] = isOfClinic ? ['CLINIC', clinicId] : [null, null];
    await app.queryRows(sql`
      insert into revoked_token_holder (clinic_id, subject, role, record_id, issued_before, revoked_at, expires_at)
      values (${clinicId}::bigint, ${subject}, ${role}::text, ${recordId}::bigint, now(), now(), now() + interval '1 hour')
      on conflict do nothing`);
    return { path: {} };
  };

export const rows: StatusRows = {
  'POST /gateway/admin/revoked-token-holder': { own: 201, everywhere: true },
  'GET /gateway/admin/revoked-token-holder': createStatusRow(liveRevocation(false), 200),
  'POST /gateway/profile/clinic/revoked-token-holder': { own: 201 },
  'GET /gateway/profile/clinic/revoked-token-holder': createStatusRow(liveRevocation(true), 200),
};

/**
 * Fields that refer to a record, and the response status if this record belongs to another Clinic or does not exist.
 */
export const references = { record: 422 };
