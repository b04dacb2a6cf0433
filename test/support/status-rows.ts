import { PUBLIC, type Role } from '../../src/shared/access/index.js';
import { RECORD_FACTORIES, type RecordFactory } from './contract/tenant.js';

/*
 * What every operation answers: the table of status-table.e2e-spec.ts, which has its operations, parameters and bodies
 * from the OpenAPI document.
 *
 * A new operation needs one line in TABLE: what it is called on (a maker of MAKE in tenant.ts; none when its path names
 * nothing) and the status that its owner gets. All else follows: 401 for nobody, 403 for another role, and one and the
 * same 404 for what is foreign, a colleague's or absent. A new field of a body that refers to a record needs one line in
 * REFERENCES, and its own value in `ids` of a Tenant, or in `body` of the maker.
 */

export type Row = {
  own: number;
  on?: RecordFactory;
  /** Somebody of the same role and Clinic whose it is not. Otherwise 404 where the path names something, else as `own`. */
  peer?: number;
  /** What is foreign or absent. Otherwise 404. */
  absent?: number;
  /** What is foreign, where it is something else than the same of another Clinic. */
  foreign?: RecordFactory;
  /** No Clinic's: the caller may do it everywhere. */
  everywhere?: boolean;
};
const on = (make: RecordFactory, own: number, more: Partial<Row> = {}): Row => ({ on: make, own, ...more });
/** A put by external id: it makes what the caller does not have, whoever else has it. */
const put = (make: RecordFactory, more: Partial<Row> = {}): Row => on(make, 204, { absent: 201, ...more });
const everywhere = true;
const foreign = RECORD_FACTORIES.book;

export const TABLE: Readonly<Record<string, Row>> = {
  'GET /health/live': { own: 200 },
  'GET /health/ready': { own: 200 },
  'GET /metrics': { own: 200 },

  'GET /gateway/admin/audit': { own: 200 },
  'GET /gateway/admin/audit/export': { own: 200 },
  'GET /gateway/profile/clinic/audit': { own: 200 },
  'GET /gateway/profile/clinic/audit/export': { own: 200 },

  'POST /gateway/admin/clinic': { own: 201 },
  'GET /gateway/admin/clinic': { own: 200 },
  'POST /gateway/admin/clinic/import': { own: 200 },
  'PUT /gateway/admin/clinic/external/{externalId}': put(RECORD_FACTORIES.clinic, { everywhere }),
  'GET /gateway/admin/clinic/{id}': on(RECORD_FACTORIES.clinic, 200, { everywhere }),
  'PATCH /gateway/admin/clinic/{id}': on(RECORD_FACTORIES.clinic, 200, { everywhere }),
  'DELETE /gateway/admin/clinic/{id}': on(RECORD_FACTORIES.clinic, 204, { everywhere }),
  'POST /gateway/admin/book': { own: 201 },
  'GET /gateway/admin/book': { own: 200 },
  'POST /gateway/admin/book/import': { own: 200 },
  'PUT /gateway/admin/book/external/{externalId}': put(RECORD_FACTORIES.catalogueBook, { foreign }),
  'GET /gateway/admin/book/{id}': on(RECORD_FACTORIES.catalogueBook, 200, { foreign }),
  'PATCH /gateway/admin/book/{id}': on(RECORD_FACTORIES.catalogueBook, 200, { foreign }),
  'DELETE /gateway/admin/book/{id}': on(RECORD_FACTORIES.catalogueBook, 204, { foreign }),
  'POST /gateway/admin/revoked-token': { own: 201 },
  'GET /gateway/admin/revoked-token': { own: 200 },

  'POST /gateway/profile/clinic/care-provider': { own: 201 },
  'GET /gateway/profile/clinic/care-provider': { own: 200 },
  'POST /gateway/profile/clinic/care-provider/import': { own: 200 },
  'POST /gateway/profile/clinic/care-provider/{id}/reassign': on(RECORD_FACTORIES.busyCareProvider, 200),
  'PUT /gateway/profile/clinic/care-provider/external/{externalId}': put(RECORD_FACTORIES.careProvider),
  'GET /gateway/profile/clinic/care-provider/{id}': on(RECORD_FACTORIES.careProvider, 200),
  'PATCH /gateway/profile/clinic/care-provider/{id}': on(RECORD_FACTORIES.careProvider, 200),
  'DELETE /gateway/profile/clinic/care-provider/{id}': on(RECORD_FACTORIES.careProvider, 204),
  'POST /gateway/profile/clinic/client': { own: 201 },
  'GET /gateway/profile/clinic/client': { own: 200 },
  'POST /gateway/profile/clinic/client/import': { own: 200 },
  'PUT /gateway/profile/clinic/client/external/{externalId}': put(RECORD_FACTORIES.client),
  'GET /gateway/profile/clinic/client/{id}': on(RECORD_FACTORIES.client, 200),
  'PATCH /gateway/profile/clinic/client/{id}': on(RECORD_FACTORIES.client, 200),
  'DELETE /gateway/profile/clinic/client/{id}': on(RECORD_FACTORIES.client, 204),
  'PUT /gateway/profile/clinic/client/{id}/care-provider/{careProviderId}': on(RECORD_FACTORIES.pair, 204),
  'DELETE /gateway/profile/clinic/client/{id}/care-provider/{careProviderId}': on(RECORD_FACTORIES.assignedPair, 204),
  'POST /gateway/profile/clinic/book': { own: 201 },
  'GET /gateway/profile/clinic/book': { own: 200 },
  'POST /gateway/profile/clinic/book/import': { own: 200 },
  'PUT /gateway/profile/clinic/book/external/{externalId}': put(RECORD_FACTORIES.book),
  'GET /gateway/profile/clinic/book/{id}': on(RECORD_FACTORIES.book, 200),
  'PATCH /gateway/profile/clinic/book/{id}': on(RECORD_FACTORIES.book, 200),
  'DELETE /gateway/profile/clinic/book/{id}': on(RECORD_FACTORIES.book, 204),

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

  // A colleague may use the plan, but not for a Client who is not theirs.
  'POST /gateway/profile/caregiver/design-plan/{id}/apply': on(RECORD_FACTORIES.plan, 201, { peer: 422 }),
  'POST /gateway/profile/caregiver/session': { own: 201, peer: 422 },
  'GET /gateway/profile/caregiver/session': { own: 200 },
  'GET /gateway/profile/caregiver/session/{id}': on(RECORD_FACTORIES.session, 200),
  'PATCH /gateway/profile/caregiver/session/{id}': on(RECORD_FACTORIES.session, 200),
  'POST /gateway/profile/caregiver/session/{id}/cancel': on(RECORD_FACTORIES.session, 200),
  'POST /gateway/profile/caregiver/session/{id}/complete': on(RECORD_FACTORIES.startedSession, 200),
  'POST /gateway/profile/caregiver/session/{id}/no-show': on(RECORD_FACTORIES.startedSession, 200),
  'POST /gateway/profile/caregiver/session/{id}/undo': on(RECORD_FACTORIES.completedSession, 200),
  'GET /gateway/profile/caregiver/session/{id}/digest': on(RECORD_FACTORIES.session, 200),
  'GET /gateway/profile/caregiver/series/{seriesId}': on(RECORD_FACTORIES.series, 200),
  'POST /gateway/profile/caregiver/series/{seriesId}/pause': on(RECORD_FACTORIES.series, 200),
  'POST /gateway/profile/caregiver/series/{seriesId}/resume': on(RECORD_FACTORIES.pausedSeries, 200),
  'POST /gateway/profile/caregiver/series/{seriesId}/shift': on(RECORD_FACTORIES.series, 200),
  'POST /gateway/profile/caregiver/series/{seriesId}/skip-week': on(RECORD_FACTORIES.series, 200),
  'POST /gateway/profile/caregiver/series/{seriesId}/revise': on(RECORD_FACTORIES.series, 200),
  'GET /gateway/profile/clinic/session': { own: 200 },
  'GET /gateway/profile/clinic/session/{id}': on(RECORD_FACTORIES.session, 200),
  'PATCH /gateway/profile/clinic/session/{id}': on(RECORD_FACTORIES.session, 200),
  'POST /gateway/profile/clinic/session/{id}/cancel': on(RECORD_FACTORIES.session, 200),
  'POST /gateway/profile/clinic/session/{id}/complete': on(RECORD_FACTORIES.startedSession, 200),
  'POST /gateway/profile/clinic/session/{id}/no-show': on(RECORD_FACTORIES.startedSession, 200),
  'POST /gateway/profile/clinic/session/{id}/undo': on(RECORD_FACTORIES.completedSession, 200),
  'GET /gateway/profile/clinic/session/{id}/digest': on(RECORD_FACTORIES.session, 200),
  'GET /gateway/profile/clinic/series/{seriesId}': on(RECORD_FACTORIES.series, 200),
  'POST /gateway/profile/clinic/series/{seriesId}/pause': on(RECORD_FACTORIES.series, 200),
  'POST /gateway/profile/clinic/series/{seriesId}/resume': on(RECORD_FACTORIES.pausedSeries, 200),
  'POST /gateway/profile/clinic/series/{seriesId}/shift': on(RECORD_FACTORIES.series, 200),
  'POST /gateway/profile/clinic/series/{seriesId}/skip-week': on(RECORD_FACTORIES.series, 200),
  'POST /gateway/profile/clinic/series/{seriesId}/revise': on(RECORD_FACTORIES.series, 200),

  'GET /gateway/profile/client/session': { own: 200 },
  'GET /gateway/profile/client/session/{id}': on(RECORD_FACTORIES.session, 200),
  'GET /gateway/profile/client/homework': { own: 200 },
  'POST /gateway/profile/client/homework/{id}/complete': on(RECORD_FACTORIES.homework, 200),
  'POST /gateway/profile/client/homework/{id}/undo': on(RECORD_FACTORIES.doneHomework, 200),

  'POST /gateway/profile/caregiver/calendar-link': { own: 201 },
  'GET /gateway/profile/caregiver/calendar-link': { own: 200 },
  'DELETE /gateway/profile/caregiver/calendar-link/{id}': on(RECORD_FACTORIES.careProviderLink, 204),
  'POST /gateway/profile/client/calendar-link': { own: 201 },
  'GET /gateway/profile/client/calendar-link': { own: 200 },
  'DELETE /gateway/profile/client/calendar-link/{id}': on(RECORD_FACTORIES.clientLink, 204),
  'GET /gateway/profile/caregiver/session/{id}/calendar.ics': on(RECORD_FACTORIES.session, 200),
  'GET /gateway/profile/clinic/session/{id}/calendar.ics': on(RECORD_FACTORIES.session, 200),
  'GET /gateway/profile/client/session/{id}/calendar.ics': on(RECORD_FACTORIES.session, 200),
  'GET /calendar/{secret}.ics': on(RECORD_FACTORIES.careProviderLink, 200),

  'GET /gateway/profile/caregiver/reminder': { own: 200 },
  'GET /gateway/profile/caregiver/reminder/{id}': on(RECORD_FACTORIES.reminder, 200),
  'GET /gateway/profile/clinic/reminder': { own: 200 },
  'GET /gateway/profile/clinic/reminder/{id}': on(RECORD_FACTORIES.reminder, 200),
  'POST /gateway/profile/clinic/reminder/{id}/redrive': on(RECORD_FACTORIES.deadReminder, 200),
  'POST /gateway/profile/clinic/reminder/redrive': on(RECORD_FACTORIES.deadReminder, 200),
  'GET /gateway/profile/caregiver/reminder-preference': { own: 200 },
  'PUT /gateway/profile/caregiver/reminder-preference': { own: 200 },
  'GET /gateway/profile/client/reminder-preference': { own: 200 },
  'PUT /gateway/profile/client/reminder-preference': { own: 200 },
  'GET /gateway/profile/clinic/reminder-preference': { own: 200 },
  'PUT /gateway/profile/clinic/reminder-preference': { own: 200 },
  'GET /reminder/opt-out/{kind}/{secret}': on(RECORD_FACTORIES.optOutLink, 200),
  'POST /reminder/opt-out/{kind}/{secret}': on(RECORD_FACTORIES.optOutLink, 200),
};

/** What others may add to these URLs is ignored: the operations of the specification, and links that are public. */
export const ignoresUnknownQuery = (title: string): boolean =>
  ['POST /gateway/profile/clinic/design-plan', 'POST /gateway/profile/caregiver/session'].includes(title) ||
  /^\w+ \/(calendar|reminder\/opt-out)\//.test(title);

/** Fields of bodies that refer to a record, with the answer to one that is foreign or absent. */
export const REFERENCES: Readonly<Record<string, number>> = {
  ...{ clinicId: 403, caregiverId: 422, CareProviderId: 422, toCareProviderId: 422, clientId: 422, clientIds: 422 },
  ...{ bookId: 422, bookIdList: 422, designPlanId: 422, fromSessionId: 422, sessionId: 422 },
  // An import tells of a line that is refused.
  careProviderExternalIds: 200,
};

/** Who may call what; access.e2e-spec.ts says it operation by operation. */
export const roleOf = (path: string): Role | typeof PUBLIC => {
  if (path.startsWith('/gateway/admin/')) return 'ADMIN';
  if (path.startsWith('/gateway/profile/caregiver/')) return 'CARE_PROVIDER';
  if (path.startsWith('/gateway/profile/client/')) return 'CLIENT';
  return path.startsWith('/gateway/profile/clinic/') || path.startsWith('/design-plan/') ? 'CLINIC' : PUBLIC;
};
