import { type StatusRows } from '../support/status-row.js';

export const rows: StatusRows = {
  'GET /gateway/admin/audit': { own: 200 },
  'GET /gateway/admin/audit/export': { own: 200 },
  'GET /gateway/profile/clinic/audit': { own: 200 },
  'GET /gateway/profile/clinic/audit/export': { own: 200 },
};
