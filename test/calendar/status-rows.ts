import { sql } from 'kysely';
import { RECORD_FACTORIES, type RecordFactory } from '../support/contract/tenant.js';
import { createStatusRow, type StatusRows } from '../support/status-row.js';

/** Sets back the creation of a link by a day. Otherwise, renewing the link would not change its expiry. */
const olderLink =
  (factory: RecordFactory): RecordFactory =>
  async (tenant) => {
    const made = await factory(tenant);
    const id = made.path['id']!;
    const [link] = await tenant.app.queryRows(
      sql<{ earlier: string }>`
        select (expires_at - interval '1 day')::text as earlier from calendar_link where id = ${id}::bigint`,
    );
    await tenant.app.queryRows(
      sql`update calendar_link set expires_at = ${link!.earlier}::timestamptz where id = ${id}::bigint`,
    );
    return made;
  };

export const rows: StatusRows = {
  'POST /gateway/profile/caregiver/calendar-link': { own: 201 },
  'GET /gateway/profile/caregiver/calendar-link': { own: 200 },
  'POST /gateway/profile/caregiver/calendar-link/{id}/rotate': createStatusRow(RECORD_FACTORIES.careProviderLink, 200),
  'POST /gateway/profile/caregiver/calendar-link/{id}/renew': createStatusRow(
    olderLink(RECORD_FACTORIES.careProviderLink),
    200,
  ),
  'DELETE /gateway/profile/caregiver/calendar-link/{id}': createStatusRow(RECORD_FACTORIES.careProviderLink, 204),
  'POST /gateway/profile/client/calendar-link': { own: 201 },
  'GET /gateway/profile/client/calendar-link': { own: 200 },
  'POST /gateway/profile/client/calendar-link/{id}/rotate': createStatusRow(RECORD_FACTORIES.clientLink, 200),
  'POST /gateway/profile/client/calendar-link/{id}/renew': createStatusRow(olderLink(RECORD_FACTORIES.clientLink), 200),
  'DELETE /gateway/profile/client/calendar-link/{id}': createStatusRow(RECORD_FACTORIES.clientLink, 204),
  'GET /gateway/profile/caregiver/session/{id}/calendar.ics': createStatusRow(RECORD_FACTORIES.session, 200),
  'GET /gateway/profile/clinic/session/{id}/calendar.ics': createStatusRow(RECORD_FACTORIES.session, 200),
  'GET /gateway/profile/client/session/{id}/calendar.ics': createStatusRow(RECORD_FACTORIES.session, 200),
  'GET /calendar/{secret}.ics': createStatusRow(RECORD_FACTORIES.careProviderLink, 200),
};
