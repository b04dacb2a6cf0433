import { sql } from 'kysely';
import { Book, CareProvider, Client, ClientAssignment, Clinic } from '../../src/directory/index.js';
import { TestApp, type ClinicFixture } from '../support/app/test-app.js';

/*
 * Tests what Care Providers can read in the directory: their assigned Clients, their colleagues, and the Books of their
 * Clinic.
 */

const CAREGIVER = '/gateway/profile/caregiver';

let app: TestApp;
let clinic: ClinicFixture;
let other: ClinicFixture;
beforeAll(async () => {
  app = await TestApp.start();
  [clinic, other] = [await app.createClinic(), await app.createClinic()];
});
afterAll(() => app.stop());

const get = (path: string, token = clinic.careProviderToken) => app.call('GET', `${CAREGIVER}/${path}`, { token });
const idsIn = ({ body }: { body: { items: { id: number }[] } }) => body.items.map(({ id }) => id);

it('shows the assigned Clients with the zone and the language in use, and no e-mail address', async () => {
  const [first, second] = clinic.clientIds;
  await app.asSuperuser(async (em) => {
    await em.nativeUpdate(Client, { id: first }, { email: 'secret@example.org', timeZone: 'Asia/Kolkata' });
    await em.nativeUpdate(Client, { id: second }, { externalId: 'ehr-1', locale: 'de-AT' });
    await em.nativeUpdate(Clinic, { id: clinic.clinicId }, { locale: 'fr' });
  });
  const list = await get('client');
  const assignedAt = expect.stringMatching(/^\d{4}-.*Z$/);
  expect(list.body).toEqual({
    items: [
      {
        ...{ id: first, externalId: null, name: 'One', active: true, hasEmail: true, assignedAt },
        ...{ timeZone: 'Asia/Kolkata', locale: 'fr' },
      },
      {
        ...{ id: second, externalId: 'ehr-1', name: 'Two', active: true, hasEmail: false, assignedAt },
        ...{ timeZone: 'Europe/London', locale: 'de-AT' },
      },
    ],
    nextCursor: null,
  });
  expect((await get(`client/${first}`)).body).toEqual(list.body.items[0]);
  expect(list.headers.get('cache-control')).toContain('no-store');
  expect(list.text).not.toContain('secret@');
});

it('pages through the assigned Clients, and selects by active', async () => {
  const [first, second] = clinic.clientIds;
  const page = await get('client?limit=1');
  expect(idsIn(page)).toEqual([first]);
  expect(idsIn(await get(`client?limit=1&cursor=${page.body.nextCursor}`))).toEqual([second]);
  await app.asSuperuser((em) => em.nativeUpdate(Client, { id: second }, { active: false }));
  expect(idsIn(await get('client?active=true'))).toEqual([first]);
  expect(idsIn(await get('client?active=false'))).toEqual([second]);
  for (const query of ['active=maybe', 'limit=0', 'cursor=x']) expect((await get(`client?${query}`)).status).toBe(400);
});

it('loses a Client with the assignment', async () => {
  const { clinicId, careProviderIds, clientIds } = await app.createClinic();
  const token = await app.createToken('CARE_PROVIDER', careProviderIds[0]);
  expect((await get(`client/${clientIds[0]}`, token)).status).toBe(200);
  await app.asSuperuser((em) => em.nativeDelete(ClientAssignment, { clinicId, clientId: clientIds[0] }));
  expect(idsIn(await get('client', token))).toEqual([clientIds[1]]);
  const answers = [clientIds[0], clientIds[2], other.clientIds[0], 999_999_999].map((id) => get(`client/${id}`, token));
  const texts = (await Promise.all(answers)).map(({ status, text }) => [
    status,
    text.replace(/"instance":"[^"]*"/, ''),
  ]);
  expect(new Set(texts.map(String)).size).toBe(1);
  expect(texts[0]![0]).toBe(404);
});

it('shows ids and names of colleagues, and nothing else of them', async () => {
  const [first, second] = clinic.careProviderIds;
  await app.asSuperuser((em) => em.nativeUpdate(CareProvider, { id: second }, { email: 'secret@example.org' }));
  const colleagues = [
    { id: first, name: 'One', active: true },
    { id: second, name: 'Two', active: true },
  ];
  expect((await get('care-provider')).body).toEqual({ items: colleagues, nextCursor: null });
  expect((await get(`care-provider/${second}`)).body).toEqual(colleagues[1]);
  expect((await get(`care-provider/${other.careProviderIds[0]}`)).status).toBe(404);
});

it('shows the Books of the Clinic and of the shared catalogue', async () => {
  const ids = idsIn(await get('book?limit=200'));
  expect(ids).toEqual(expect.arrayContaining([clinic.ownBookId, clinic.sharedBookId, other.sharedBookId]));
  expect(ids).not.toContain(other.ownBookId);
  const token = clinic.clinicToken;
  for (const id of [clinic.ownBookId, clinic.sharedBookId]) {
    const seenByClinic = await app.call('GET', `/gateway/profile/clinic/book/${id}`, { token });
    expect((await get(`book/${id}`)).body).toEqual(seenByClinic.body);
  }
  expect((await get(`book/${other.ownBookId}`)).status).toBe(404);
  await app.asSuperuser((em) => em.nativeUpdate(Book, { id: clinic.ownBookId }, { active: false }));
  expect(idsIn(await get('book?active=true&limit=200'))).not.toContain(clinic.ownBookId);
});

it('names the Clients that were shown in the audit trail', async () => {
  const fresh = await app.createClinic();
  await get('client', fresh.careProviderToken);
  const entries = await app.queryRows(sql<{ operation: string; records: string[] }>`
    select operation, records from audit_entry where clinic_id = ${fresh.clinicId}`);
  const records = expect.arrayContaining(fresh.clientIds.slice(0, 2).map((id) => `client/${id}`));
  expect(entries).toEqual([{ operation: `GET ${CAREGIVER}/client`, records }]);
});

it('is closed to a deactivated Care Provider', async () => {
  const { careProviderIds, careProviderToken } = await app.createClinic();
  await app.asSuperuser((em) => em.nativeUpdate(CareProvider, { id: careProviderIds[0] }, { active: false }));
  for (const path of ['client', 'client/1', 'care-provider', 'care-provider/1', 'book', 'book/1'])
    expect([path, (await get(path, careProviderToken)).status]).toEqual([path, 403]);
});
