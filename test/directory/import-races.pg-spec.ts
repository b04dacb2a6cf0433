import { sql, type RawBuilder } from 'kysely';
import { TestApp, waitFor, type ClinicFixture, type TestResponse } from '../support/app/test-app.js';

/*
 * Tests that an import of Clients cannot deadlock with a booking that refuses overlaps, because both lock Care Providers
 * first, not with an import of other lines, because both lock all Clients in the order of their IDs, and not with a change
 * of the series of the Clients that it deactivates, because it locks all of them before it changes the first.
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

type Line = { externalId: string; active?: boolean; careProviderExternalIds?: string[] };
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

describe.each([
  ['in two events', 11],
  ['in two chunks', 500],
])('deactivates Clients %s', (_, count) => {
  it.each([
    ['deactivated', (id: number) => ['DELETE', `care-provider/${id}`]],
    ['replaced', (id: number) => ['POST', `care-provider/${id}/reassign`]],
  ])('while their Care Provider is %s', async (_change, toOperation) => {
    const [from, toCareProviderId] = clinic.careProviderIds;
    for (const clientId of clinic.clientIds.slice(0, 2))
      expect((await book({ clientId, date: `2027/05/${clientId === clinic.clientIds[0] ? '01' : '02'}` })).status).toBe(
        201,
      );
    const sessions = await app.queryRows(sql<{ id: string; client_id: string }>`
      select id, client_id from session where clinic_id = ${clinic.clinicId} order by series_id`);
    // The Client with the lower series ID comes last.
    await setExternalId(`client/${sessions[1]!.client_id}`, 'a');
    await setExternalId(`client/${sessions[0]!.client_id}`, 'z');
    const others = Array.from({ length: count }, (__, index) => ({ externalId: `b-${index}` }));
    expect((await importClients(others)).status).toBe(200);

    const em = await app.forkAsSuperuser();
    await em.begin();
    const row = sql`select from session where id = ${sessions[1]!.id} for update`;
    await row.execute((em as unknown as { getKysely: () => never }).getKysely());
    const lines = [{ externalId: 'a' }, ...others, { externalId: 'z' }].map((line) => ({ ...line, active: false }));
    const importing = importClients(lines);
    await waitForBlocked(1);
    const [method, path] = toOperation(from) as [string, string];
    const token = clinic.clinicToken;
    const changing = app.call(method, `${CLINIC}/${path}`, {
      token,
      ...(method === 'POST' && { body: { toCareProviderId } }),
    });
    await waitForBlocked(2);
    await em.commit();
    const statuses = (await Promise.all([importing, changing])).map(({ status }) => status);
    expect(statuses).toEqual([200, method === 'POST' ? 200 : 204]);
    const open = await app.queryRows(sql`
      select from session where clinic_id = ${clinic.clinicId} and status <> 'CANCELLED'`);
    expect(open).toEqual([]);
  });
});
