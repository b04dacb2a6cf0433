import { RECORD_FACTORIES, type RecordFactory } from '../support/contract/tenant.js';
import { on, type StatusRows } from '../support/status-row.js';

/** The first Client, with a Session. */
const clientWithSession: RecordFactory = async (tenant) => {
  await RECORD_FACTORIES.session(tenant);
  return { path: { id: tenant.fixture.clientIds[0] } };
};

export const rows: StatusRows = {
  'GET /gateway/profile/clinic/client/{id}/export': on(clientWithSession, 200),
  'GET /gateway/profile/client/export': { own: 200 },
};
