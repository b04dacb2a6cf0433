import { RECORD_FACTORIES } from '../support/contract/tenant.js';
import { on, type StatusRows } from '../support/status-row.js';

export const rows: StatusRows = {
  'POST /gateway/profile/clinic/design-plan': { own: 201 },
  'GET /gateway/profile/clinic/design-plan': { own: 200 },
  'POST /gateway/profile/clinic/design-plan/import': { own: 201 },
  'GET /gateway/profile/clinic/design-plan/{id}': on(RECORD_FACTORIES.plan, 200),
  'GET /design-plan/{id}': on(RECORD_FACTORIES.plan, 200),
  'PUT /gateway/profile/clinic/design-plan/{id}': on(RECORD_FACTORIES.plan, 200),
  'DELETE /gateway/profile/clinic/design-plan/{id}': on(RECORD_FACTORIES.plan, 204),
  'POST /gateway/profile/clinic/design-plan/{id}/restore': on(RECORD_FACTORIES.archivedPlan, 204),
  'POST /gateway/profile/clinic/design-plan/{id}/clone': on(RECORD_FACTORIES.plan, 201),
  'GET /gateway/profile/clinic/design-plan/{id}/export': on(RECORD_FACTORIES.plan, 200),
  'GET /gateway/profile/clinic/design-plan/{id}/revision': on(RECORD_FACTORIES.plan, 200),
  'GET /gateway/profile/clinic/design-plan/{id}/revision/{revision}': on(RECORD_FACTORIES.plan, 200),
  'GET /gateway/profile/clinic/design-plan/{id}/revision/{from}/diff/{to}': on(RECORD_FACTORIES.plan, 200),
  'GET /gateway/profile/caregiver/design-plan': { own: 200 },
  'GET /gateway/profile/caregiver/design-plan/{id}': on(RECORD_FACTORIES.plan, 200, { peer: 200 }),
};
