import { sql, type RawBuilder } from 'kysely';
import { TestApp, waitFor, type ClinicFixture, type TestResponse } from '../support/app/test-app.js';

/*
 * Tests that an import of Clients cannot deadlock with a booking that refuses overlaps, because both lock Care Providers
 * first, and not with an import of other lines, because both lock all Clients in the order of their IDs.
 */

const CLINIC = '/gateway/profile/clinic';

let app: TestApp;
let clinic: ClinicFixture;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());
beforeEach(async () => {
  clinic = await app.createClinic();
  const [first, second] = clinic.clientIds;
  await setExternalId(`care-provider/${clinic.careProviderIds[0]}`, 'booked');
  await setExternalId(`client/${first}`, 'a-0');
  await setExternalId(`client/${second}`, 'a-1');
});

async function setExternalId(path: string, externalId: string): Promise<void> {
  const { status } = await app.call('PATCH', `${CLINIC}/${path}`, { token: clinic.clinicToken, body: { externalId } });
  expect(status).toBe(200);
}

type Line = { externalId: string; careProviderExternalIds?: string[] };
const importClients = (lines: readonly Line[]) =>
  app.call('POST', `${CLINIC}/client/import`, {
    token: clinic.clinicToken,
    raw: lines.map((line) => JSON.stringify({ name: 'N', ...line })).join('\n'),
    headers: { 'content-type': 'application/x-ndjson' },
  });
const book = (body: object, query = '') =>
  app.call('POST', `/gateway/profile/caregiver/session${query}`, {
    token: clinic.careProviderToken,
    body: { clientId: clinic.clientIds[0], title: 'T', time: '09:30', ...body },
  });
const waitForBlocked = (count: number) =>
  waitFor(async () => {
    const rows = await app.queryRows(sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
    return rows.length === count;
  });

/** Makes the import wait for a row, then books a Session of the first Client, and then lets both continue. */
async function bookDuringImport(
  row: RawBuilder<unknown>,
  lines: readonly Line[],
): Promise<[imported: TestResponse, booked: TestResponse]> {
  const em = await app.forkAsSuperuser();
  await em.begin();
  await row.execute((em as unknown as { getKysely: () => never }).getKysely());
  const importing = importClients(lines);
  await waitForBlocked(1);
  const booking = book({ date: '2027/05/01' }, '?conflicts=reject');
  await waitForBlocked(2);
  await em.commit();
  return Promise.all([importing, booking]);
}

const lockClient = (id: number) =>
  sql`select from client where clinic_id = ${clinic.clinicId} and id = ${id} for update`;

it('names the Care Provider of the booking only after it has locked the Client', async () => {
  // Lines are stored in the order of their external IDs, 500 at a time.
  const others = Array.from({ length: 500 }, (_, index) => ({ externalId: `b-${index}` }));
  const lines = [{ externalId: 'a-0' }, { externalId: 'a-1' }, ...others];
  const last = { externalId: 'c', careProviderExternalIds: ['booked'] };
  const [imported, booked] = await bookDuringImport(lockClient(clinic.clientIds[1]), [...lines, last]);
  expect([imported.status, booked.status]).toEqual([200, 201]);
});

it('ends the assignment to the Care Provider of the booking', async () => {
  // The end of the assignment hides this Session from the Care Provider.
  const ofColleague = await book({ caregiverId: clinic.careProviderIds[1], date: '2027/04/01' });
  expect(ofColleague.status).toBe(201);
  const lines = [{ externalId: 'a-0', careProviderExternalIds: [] }];
  const [imported, booked] = await bookDuringImport(lockClient(clinic.clientIds[0]), lines);
  expect([imported.status, booked.status]).toEqual([200, 422]);
});

it('imports Clients while another import has them in other chunks', async () => {
  const [first, second] = clinic.clientIds;
  // The first chunk of the long import ends before the last line. The order of the external IDs is not that of the IDs.
  await setExternalId(`client/${first}`, 'z');
  await setExternalId(`client/${second}`, 'a-0');
  const others = Array.from({ length: 499 }, (_, index) => ({ externalId: `b-${index}` }));
  expect((await importClients(others)).status).toBe(200);
  const [{ id }] = (await app.queryRows(sql`
    select max(id)::int as id from client where clinic_id = ${clinic.clinicId}`)) as [{ id: number }];

  const em = await app.forkAsSuperuser();
  await em.begin();
  await lockClient(id).execute((em as unknown as { getKysely: () => never }).getKysely());
  const many = importClients([{ externalId: 'a-0' }, ...others, { externalId: 'z' }]);
  await waitForBlocked(1);
  const few = importClients([{ externalId: 'a-0' }, { externalId: 'z' }]);
  await waitForBlocked(2);
  await em.commit();
  expect((await Promise.all([many, few])).map(({ status }) => status)).toEqual([200, 200]);
});
