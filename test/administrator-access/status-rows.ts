import type { RecordFactory } from '../support/contract/tenant.js';
import { createStatusRow, type StatusRows } from '../support/status-row.js';

/** An open access to the data of the Clinic. */
const openAccess: RecordFactory = async ({ app, fixture }) => {
  const token = await app.createToken('ADMIN');
  const body = { clinicId: fixture.clinicId, reason: 'Support' };
  const answer = await app.call('POST', '/gateway/admin/administrator-access', { token, body });
  return { path: { id: (answer.body as { id: number }).id } };
};

const [ADMIN, CLINIC] = ['/gateway/admin/administrator-access', '/gateway/profile/clinic/administrator-access'];

export const rows: StatusRows = {
  [`POST ${ADMIN}`]: { own: 201, everywhere: true, absent: 422 },
  [`GET ${ADMIN}`]: createStatusRow(openAccess, 200),
  [`DELETE ${ADMIN}/{id}`]: createStatusRow(openAccess, 200, { everywhere: true }),
  [`GET ${CLINIC}`]: createStatusRow(openAccess, 200),
  [`DELETE ${CLINIC}/{id}`]: createStatusRow(openAccess, 200),
};
