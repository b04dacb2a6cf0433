import { RECORD_FACTORIES } from '../support/contract/tenant.js';
import { createStatusRow, type StatusRows } from '../support/status-row.js';

export const rows: StatusRows = {
  'GET /gateway/profile/caregiver/reminder': { own: 200 },
  'GET /gateway/profile/caregiver/reminder/{id}': createStatusRow(RECORD_FACTORIES.reminder, 200),
  'GET /gateway/profile/clinic/reminder': { own: 200 },
  'GET /gateway/profile/clinic/reminder/{id}': createStatusRow(RECORD_FACTORIES.reminder, 200),
  'GET /gateway/profile/clinic/reminder/{id}/message': createStatusRow(RECORD_FACTORIES.reminder, 200),
  'POST /gateway/profile/clinic/reminder/{id}/redrive': createStatusRow(RECORD_FACTORIES.deadReminder, 200),
  'POST /gateway/profile/clinic/reminder/redrive': createStatusRow(RECORD_FACTORIES.deadReminder, 200),
  'GET /gateway/profile/caregiver/reminder-preference': { own: 200 },
  'PUT /gateway/profile/caregiver/reminder-preference': { own: 200 },
  'GET /gateway/profile/client/reminder-preference': { own: 200 },
  'PUT /gateway/profile/client/reminder-preference': { own: 200 },
  'GET /gateway/profile/clinic/reminder-preference': { own: 200 },
  'PUT /gateway/profile/clinic/reminder-preference': { own: 200 },
  'GET /reminder/opt-out/{kind}/{secret}': createStatusRow(RECORD_FACTORIES.optOutLink, 200),
  'POST /reminder/opt-out/{kind}/{secret}': createStatusRow(RECORD_FACTORIES.optOutLink, 200),
};
