import { type StatusRows } from '../support/status-row.js';

export const rows: StatusRows = {
  'POST /gateway/admin/revoked-token': { own: 201 },
  'GET /gateway/admin/revoked-token': { own: 200 },
};
