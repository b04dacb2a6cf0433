import { RECORD_FACTORIES, type RecordFactory } from '../support/contract/tenant.js';
import { createStatusRow, type StatusRows } from '../support/status-row.js';

/**
 * Creates a Session in the current week. Without it, the week would be empty, and a week has no ID by which it could be
 * read.
 */
const sessionOfThisWeek: RecordFactory = async (tenant) => {
  const { app, fixture, privateMarker: title } = tenant;
  const date = app.clock.now().toString().slice(0, 10).replaceAll('-', '/');
  await tenant.callAsCareProvider('session', { clientId: fixture.clientIds[0], title, date, time: '20:00' });
  return { path: {} };
};

export const rows: StatusRows = {
  // Another Care Provider may use the plan, but not for a Client who is not assigned to them.
  'POST /gateway/profile/caregiver/design-plan/{id}/apply': createStatusRow(RECORD_FACTORIES.plan, 201, { peer: 422 }),
  'POST /gateway/profile/caregiver/session': { own: 201, peer: 422 },
  'GET /gateway/profile/caregiver/session': { own: 200 },
  'GET /gateway/profile/caregiver/session/{id}': createStatusRow(RECORD_FACTORIES.session, 200),
  'PATCH /gateway/profile/caregiver/session/{id}': createStatusRow(RECORD_FACTORIES.session, 200),
  'POST /gateway/profile/caregiver/session/{id}/cancel': createStatusRow(RECORD_FACTORIES.session, 200),
  'POST /gateway/profile/caregiver/session/{id}/complete': createStatusRow(RECORD_FACTORIES.startedSession, 200),
  'POST /gateway/profile/caregiver/session/{id}/no-show': createStatusRow(RECORD_FACTORIES.startedSession, 200),
  'POST /gateway/profile/caregiver/session/{id}/undo': createStatusRow(RECORD_FACTORIES.completedSession, 200),
  'GET /gateway/profile/caregiver/session/{id}/digest': createStatusRow(RECORD_FACTORIES.session, 200),
  'GET /gateway/profile/caregiver/series': { own: 200 },
  'GET /gateway/profile/caregiver/series/{seriesId}': createStatusRow(RECORD_FACTORIES.series, 200),
  'POST /gateway/profile/caregiver/series/{seriesId}/pause': createStatusRow(RECORD_FACTORIES.series, 200),
  'POST /gateway/profile/caregiver/series/{seriesId}/resume': createStatusRow(RECORD_FACTORIES.pausedSeries, 200),
  'POST /gateway/profile/caregiver/series/{seriesId}/shift': createStatusRow(RECORD_FACTORIES.series, 200),
  'POST /gateway/profile/caregiver/series/{seriesId}/skip-week': createStatusRow(RECORD_FACTORIES.series, 200),
  'POST /gateway/profile/caregiver/series/{seriesId}/revise': createStatusRow(RECORD_FACTORIES.series, 200),
  'POST /gateway/profile/clinic/design-plan/{id}/apply': createStatusRow(RECORD_FACTORIES.plan, 201),
  'POST /gateway/profile/clinic/session': { own: 201 },
  'GET /gateway/profile/clinic/session': { own: 200 },
  'GET /gateway/profile/clinic/session/{id}': createStatusRow(RECORD_FACTORIES.session, 200),
  'PATCH /gateway/profile/clinic/session/{id}': createStatusRow(RECORD_FACTORIES.session, 200),
  'POST /gateway/profile/clinic/session/{id}/cancel': createStatusRow(RECORD_FACTORIES.session, 200),
  'POST /gateway/profile/clinic/session/{id}/complete': createStatusRow(RECORD_FACTORIES.startedSession, 200),
  'POST /gateway/profile/clinic/session/{id}/no-show': createStatusRow(RECORD_FACTORIES.startedSession, 200),
  'POST /gateway/profile/clinic/session/{id}/undo': createStatusRow(RECORD_FACTORIES.completedSession, 200),
  'GET /gateway/profile/clinic/session/{id}/digest': createStatusRow(RECORD_FACTORIES.session, 200),
  'GET /gateway/profile/clinic/series': { own: 200 },
  'GET /gateway/profile/clinic/series/{seriesId}': createStatusRow(RECORD_FACTORIES.series, 200),
  'POST /gateway/profile/clinic/series/{seriesId}/pause': createStatusRow(RECORD_FACTORIES.series, 200),
  'POST /gateway/profile/clinic/series/{seriesId}/resume': createStatusRow(RECORD_FACTORIES.pausedSeries, 200),
  'POST /gateway/profile/clinic/series/{seriesId}/shift': createStatusRow(RECORD_FACTORIES.series, 200),
  'POST /gateway/profile/clinic/series/{seriesId}/skip-week': createStatusRow(RECORD_FACTORIES.series, 200),
  'POST /gateway/profile/clinic/series/{seriesId}/revise': createStatusRow(RECORD_FACTORIES.series, 200),
  'GET /gateway/profile/caregiver/week': createStatusRow(sessionOfThisWeek, 200),
  'GET /gateway/profile/clinic/week': createStatusRow(sessionOfThisWeek, 200),
  'GET /gateway/profile/client/week': createStatusRow(sessionOfThisWeek, 200),
  'GET /gateway/profile/client/session': { own: 200 },
  'GET /gateway/profile/client/session/{id}': createStatusRow(RECORD_FACTORIES.session, 200),
  'GET /gateway/profile/client/homework': { own: 200 },
  'POST /gateway/profile/client/homework/{id}/complete': createStatusRow(RECORD_FACTORIES.homework, 200),
  'POST /gateway/profile/client/homework/{id}/undo': createStatusRow(RECORD_FACTORIES.doneHomework, 200),
  'GET /gateway/profile/clinic/homework': { own: 200 },
};

/**
 * Fields that refer to a record, and the response status if this record belongs to another Clinic or does not exist.
 */
export const references = {
  designPlanId: 422,
  fromSessionId: 422,
  sessionId: 422,
};
