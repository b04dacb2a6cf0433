import { type StatusRows } from '../support/status-row.js';

export const rows: StatusRows = {
  'GET /gateway/profile/clinic/retention': { own: 200 },
  'PUT /gateway/profile/clinic/retention': { own: 200 },
};
