import { sql } from 'kysely';
import { CareProvider, Client } from '../../src/directory/index.js';
import { Reminder } from '../../src/reminder/index.js';
import { Homework } from '../../src/session/index.js';
import { TestApp, type ClinicFixture } from '../support/app/test-app.js';

/* Tests `include` for lists and single reads of Sessions, series, homework and reminders. */

const PROFILE = '/gateway/profile';
const STAFF = 'client,careProvider,books,progress,reminders,conflicts';
const OF_CLIENT = 'client,careProvider,books,progress,reminders';

type Item = Record<string, unknown> & { id: number };

let app: TestApp;
let clinic: ClinicFixture;
let seriesId: string;
let sessionIds: number[];
let tokens: Record<'clinic' | 'caregiver' | 'client', string>;
beforeAll(async () => {
  app = await TestApp.start();
  clinic = await app.createClinic();
  await nameAll(clinic, 'Own');
  tokens = {
    clinic: clinic.clinicToken,
    caregiver: clinic.careProviderToken,
    client: await app.createToken('CLIENT', clinic.clientIds[0]),
  };
  const location = await createSessions(clinic, 3);
  seriesId = location.split('seriesId=')[1]!;
  const rows = await app.queryRows(sql<{ id: string }>`
    select id from session where clinic_id = ${clinic.clinicId} order by starts_at`);
  sessionIds = rows.map(({ id }) => Number(id));
  // This Session has the same Client and the same time as the first one, so both overlap.
  await createSessions(clinic, 1, { caregiverId: clinic.careProviderIds[1], title: 'Overlap', reminders: [] });
  const { clinicId, ownBookId: bookId } = clinic;
  await app.asSuperuser((em) => em.nativeUpdate(Homework, { clinicId, bookId }, { completedAt: app.clock.now() }));
  // Another Clinic has records of the same kinds.
  const other = await app.createClinic();
  await nameAll(other, 'Foreign');
  await createSessions(other, 3);
});
afterAll(() => app.stop());

const nameAll = ({ clinicId, clientIds, careProviderIds }: ClinicFixture, prefix: string) =>
  app.asSuperuser(async (em) => {
    for (const id of clientIds) await em.nativeUpdate(Client, { clinicId, id }, { name: `${prefix} client ${id}` });
    for (const id of careProviderIds)
      await em.nativeUpdate(CareProvider, { clinicId, id }, { name: `${prefix} care provider ${id}` });
  });

async function createSessions(of: ClinicFixture, sessionCount: number, change: object = {}): Promise<string> {
  const body = {
    ...{ clientId: of.clientIds[0], title: 'T', date: '2027/03/01', time: '09:30', sessionCount },
    ...{ bookIdList: [of.ownBookId, of.sharedBookId], reminders: ['-P1D'], ...change },
  };
  const answer = await app.call('POST', `${PROFILE}/caregiver/session`, { token: of.careProviderToken, body });
  expect(answer.status).toBe(201);
  return answer.headers.get('location')!;
}

async function read(role: keyof typeof tokens, path: string, token = tokens[role]) {
  const { status, body, text } = await app.call('GET', `${PROFILE}/${role}/${path}`, { token });
  expect(status).toBe(200);
  expect(text).not.toContain('Foreign');
  return body as Item & { items: Item[] };
}

const client = () => ({ id: clinic.clientIds[0], name: `Own client ${clinic.clientIds[0]}` });
const careProvider = () => ({ id: clinic.careProviderIds[0], name: `Own care provider ${clinic.careProviderIds[0]}` });
const books = () => [
  { id: clinic.ownBookId, title: 'Own' },
  { id: clinic.sharedBookId, title: 'Shared' },
];
const progress = { done: 1, total: 2 };
const ahead = (...kinds: string[]) =>
  kinds.map((recipientKind) => expect.objectContaining({ recipientKind }) as unknown);
const overlap = () => [expect.objectContaining({ with: 'CLIENT' }) as unknown];

describe.each(['clinic', 'caregiver'] as const)('a %s', (role) => {
  it('reads Sessions with all included data, in the list and individually', async () => {
    const expected = () => ({
      ...{ client: client(), careProvider: careProvider(), books: books(), progress, conflicts: overlap() },
      remindersAhead: ahead('CLIENT', 'CARE_PROVIDER'),
    });
    const list = await read(role, `session?seriesId=${seriesId}&include=${STAFF}`);
    expect(list.items).toHaveLength(3);
    expect(list.items[0]).toMatchObject(expected());
    expect(list.items[1]).toMatchObject({ ...expected(), conflicts: [] });
    const session = await read(role, `session/${sessionIds[0]}?include=${STAFF}`);
    expect(session).toMatchObject({ ...expected(), conflictCount: 1 });
  });

  it('reads a series with the people, and its Sessions with the rest', async () => {
    const series = await read(role, `series/${seriesId}?include=${STAFF}`);
    expect(series).toMatchObject({ client: client(), careProvider: careProvider(), progress: { done: 3, total: 6 } });
    const remindersAhead = ahead('CLIENT', 'CARE_PROVIDER');
    expect(series['sessions']).toMatchObject([
      { books: books(), progress, remindersAhead, conflicts: overlap() },
      { books: books(), progress, remindersAhead, conflicts: [] },
      { conflicts: [] },
    ]);
  });

  it('reads reminders with the data of their Session', async () => {
    const include = STAFF.replace('reminders,', '');
    const expected = () => ({ client: client(), careProvider: careProvider(), books: books(), progress });
    const { items } = await read(role, `reminder?sessionId=${sessionIds[0]}&include=${include}`);
    expect(items).toHaveLength(2);
    for (const item of items) expect(item).toMatchObject({ ...expected(), conflicts: overlap() });
    expect(await read(role, `reminder/${items[0]!.id}?include=client`)).toMatchObject({ client: client() });
  });

  it('gets no included data without `include`, and only one member for one name', async () => {
    const [plain] = (await read(role, 'session')).items;
    expect(Object.keys(plain!)).not.toEqual(expect.arrayContaining(['client']));
    const [named] = (await read(role, 'session?include=client')).items;
    expect(Object.keys(named!).toSorted()).toEqual([...Object.keys(plain!), 'client'].toSorted());
  });
});

it('shows a Client their Care Provider, Books and own reminders', async () => {
  const expected = () => ({
    ...{ client: client(), careProvider: careProvider(), books: books(), progress },
    remindersAhead: ahead('CLIENT'),
  });
  expect((await read('client', `session?include=${OF_CLIENT}`)).items[0]).toMatchObject(expected());
  expect(await read('client', `session/${sessionIds[0]}?include=${OF_CLIENT}`)).toMatchObject(expected());
  const { items } = await read('client', `homework?include=${OF_CLIENT}`);
  expect(items[0]).toMatchObject({ client: client(), careProvider: careProvider(), books: [books()[0]], progress });
});

it('shows a Care Provider no reminders of the Session of a colleague, as the list of reminders does not', async () => {
  const location = await createSessions(clinic, 1, { caregiverId: clinic.careProviderIds[1], date: '2027/05/03' });
  const series = location.split('seriesId=')[1]!;
  const list = (role: 'clinic' | 'caregiver', more = '') => read(role, `session?seriesId=${series}${more}`);
  const [session] = (await list('clinic', '&include=reminders')).items;
  expect(session!['remindersAhead']).toEqual(ahead('CLIENT', 'CARE_PROVIDER'));
  expect((await read('caregiver', `reminder?sessionId=${session!.id}`)).items).toEqual([]);
  expect((await list('caregiver', '&include=reminders')).items).toMatchObject([{ remindersAhead: [] }]);
  expect(await read('caregiver', `session/${session!.id}?include=reminders`)).toMatchObject({ remindersAhead: [] });
  const { sessions } = await read('caregiver', `series/${series}?include=reminders`);
  expect(sessions).toMatchObject([{ remindersAhead: [] }]);
});

it('does not name the Client of a reminder whose Session the Care Provider may not see', async () => {
  const [, colleagueId] = clinic.careProviderIds;
  const [, clientId] = clinic.clientIds;
  await createSessions(clinic, 1, { clientId, date: '2027/06/01' });
  const [reminder] = await app.queryRows(sql<{ id: string }>`
    update reminder set caregiver_id = ${colleagueId} where clinic_id = ${clinic.clinicId}
      and recipient_kind = 'CARE_PROVIDER' and session_id = (select max(id) from session where client_id = ${clientId})
    returning id`);
  const colleague = await app.createToken('CARE_PROVIDER', colleagueId);
  const { items } = await read('caregiver', 'reminder?include=client,books,conflicts', colleague);
  expect(items.map(({ id }) => id)).toContain(Number(reminder!.id));
  const hidden = items.find(({ id }) => id === Number(reminder!.id))!;
  for (const name of ['client', 'books', 'conflicts']) expect(hidden).not.toHaveProperty(name);
});

it('names the Clients, Care Providers and Books in the audit entry, by id', async () => {
  await read('clinic', `session?seriesId=${seriesId}&include=${STAFF}`);
  const [entry] = await app.queryRows(sql<{ records: string[] }>`
    select records from audit_entry where operation = 'GET /gateway/profile/clinic/session' order by id desc limit 1`);
  const reminders = await app.asSuperuser((em) => em.find(Reminder, { sessionId: sessionIds[0]! }));
  const named = [
    ...[`client/${clinic.clientIds[0]}`, `care-provider/${clinic.careProviderIds[0]}`, `book/${clinic.ownBookId}`],
    ...[`session/${sessionIds[0]!}`, ...reminders.map(({ id }) => `reminder/${id}`)],
  ];
  expect(entry!.records).toEqual(expect.arrayContaining(named));
  // The audit entry names no other Client.
  expect(entry!.records.filter((record) => record.startsWith('client/'))).toEqual([named[0]]);
  expect(JSON.stringify(entry)).not.toContain('Own client');
});

it.each([
  ['clinic', 'session?include=clients', 'did you mean client?'],
  ['clinic', 'session/1?include=careprovider', 'did you mean careProvider?'],
  [
    'caregiver',
    'reminder?include=reminders',
    'must be one or more of client, careProvider, books, progress, conflicts',
  ],
  ['client', 'session?include=conflicts', 'must be one or more of'],
  ['client', 'homework?include=', 'must be one or more of'],
] as const)('refuses %s/%s', async (role, path, message) => {
  const { status, body } = await app.call('GET', `${PROFILE}/${role}/${path}`, { token: tokens[role] });
  expect(status).toBe(400);
  expect(body.errors).toEqual([{ pointer: '/include', detail: expect.stringContaining(message) as unknown }]);
});
