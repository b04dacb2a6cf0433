import { type StatusRows } from '../support/status-row.js';

export const rows: StatusRows = {
  'GET /health/live': { own: 200 },
  'GET /health/ready': { own: 200 },
  'GET /metrics': { own: 200 },
};
