import { RECORD_FACTORIES, type RecordFactory } from '../support/contract/tenant.js';
import { createStatusRow, type StatusRows } from '../support/status-row.js';

/** Creates a Session of the first Client, and returns that Client. */
const clientWithSession: RecordFactory = async (tenant) => {
  await RECORD_FACTORIES.session(tenant);
  return { path: { id: tenant.fixture.clientIds[0] } };
};

export const rows: StatusRows = {
  'GET /gateway/profile/clinic/client/{id}/export': createStatusRow(clientWithSession, 200),
  'GET /gateway/profile/client/export': { own: 200 },
};
