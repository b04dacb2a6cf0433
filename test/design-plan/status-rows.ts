import { RECORD_FACTORIES } from '../support/contract/tenant.js';
import { createStatusRow, type StatusRows } from '../support/status-row.js';

export const rows: StatusRows = {
  'POST /gateway/profile/clinic/design-plan': { own: 201 },
  'GET /gateway/profile/clinic/design-plan': { own: 200 },
  'POST /gateway/profile/clinic/design-plan/import': { own: 201 },
  'GET /gateway/profile/clinic/design-plan/{id}': createStatusRow(RECORD_FACTORIES.plan, 200),
  'GET /design-plan/{id}': createStatusRow(RECORD_FACTORIES.plan, 200),
  'PUT /gateway/profile/clinic/design-plan/{id}': createStatusRow(RECORD_FACTORIES.plan, 200),
  'DELETE /gateway/profile/clinic/design-plan/{id}': createStatusRow(RECORD_FACTORIES.plan, 204),
  'POST /gateway/profile/clinic/design-plan/{id}/restore': createStatusRow(RECORD_FACTORIES.archivedPlan, 204),
  'POST /gateway/profile/clinic/design-plan/{id}/clone': createStatusRow(RECORD_FACTORIES.plan, 201),
  'GET /gateway/profile/clinic/design-plan/{id}/export': createStatusRow(RECORD_FACTORIES.plan, 200),
  'GET /gateway/profile/clinic/design-plan/{id}/revision': createStatusRow(RECORD_FACTORIES.plan, 200),
  'GET /gateway/profile/clinic/design-plan/{id}/revision/{revision}': createStatusRow(RECORD_FACTORIES.plan, 200),
  'GET /gateway/profile/clinic/design-plan/{id}/revision/{from}/diff/{to}': createStatusRow(RECORD_FACTORIES.plan, 200),
  'GET /gateway/profile/caregiver/design-plan': { own: 200 },
  'GET /gateway/profile/caregiver/design-plan/{id}': createStatusRow(RECORD_FACTORIES.plan, 200, { peer: 200 }),
};
