import { sql } from 'kysely';
import { createApplication } from '../../src/app.setup.js';
import { CareProvider, Client } from '../../src/directory/index.js';
import {
  encryptExistingRows,
  ERASED_TEXT_PLACEHOLDER,
  FieldEncryption,
  UNREADABLE_TEXT_PLACEHOLDER,
} from '../../src/shared/persistence/index.js';
import { findCanaries, createCanary } from '../support/contract/canary-clinic.js';
import { TestApp, type ClinicFixture, type TestResponse } from '../support/app/test-app.js';

const CLIENTS = '/gateway/profile/clinic/client';
const PLANS = '/gateway/profile/clinic/design-plan';
const SERIES = '/gateway/profile/caregiver/series';
const SESSIONS = '/gateway/profile/caregiver/session';

let app: TestApp;
let clinic: ClinicFixture;
beforeAll(async () => {
  app = await TestApp.start();
});
beforeEach(async () => {
  clinic = await app.createClinic();
});
afterAll(() => app.stop());

const asClinic = (method: string, path: string, body?: object): Promise<TestResponse> =>
  app.call(method, path, { token: clinic.clinicToken, ...(body === undefined ? {} : { body }) });
const asCareProvider = (method: string, path: string, body?: object, headers = {}): Promise<TestResponse> =>
  app.call(method, path, { token: clinic.careProviderToken, headers, ...(body === undefined ? {} : { body }) });

async function createClient(name: string, externalId?: string): Promise<number> {
  const created = await asClinic('POST', CLIENTS, { name, email: `${name}@example.org`, externalId });
  expect(created.status).toBe(201);
  return Number(created.headers.get('location')!.split('/').at(-1));
}

/** Creates a series for the first Client. Returns its Sessions. */
async function createSessions(title: string, sessionCount = 3): Promise<{ id: number; seriesId: string }[]> {
  const body = {
    clientId: clinic.clientIds[0],
    title,
    description: `${title} text`,
    date: '2031/01/06',
    time: '10:00',
  };
  const created = await asCareProvider('POST', SESSIONS, { ...body, sessionCount });
  expect(created.status).toBe(201);
  return (await asCareProvider('GET', created.headers.get('location')!)).body.items as {
    id: number;
    seriesId: string;
  }[];
}

type SessionModel = { title: string; description: string };
const readSession = async (id: number) => (await asCareProvider('GET', `${SESSIONS}/${id}`)).body as SessionModel;

/** Returns all rows of all tables as text, like a database dump. */
async function dump(): Promise<string> {
  const tables = await app.queryRows(sql<{ name: string }>`
    select quote_ident(relname) as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`);
  const texts = await Promise.all(
    tables.map(({ name }) => app.queryRows(sql<{ text: string }>`select t::text as text from ${sql.raw(name)} t`)),
  );
  return texts
    .flat()
    .map(({ text }) => text)
    .join('\n');
}

it('a dump contains no name, address or text, which the API returns as they were sent', async () => {
  const name = createCanary('Name');
  const id = await createClient(name, createCanary('ExternalId'));
  const [session] = await createSessions(createCanary('Title'));
  const path = `${SESSIONS}/${session!.id}`;
  const cancelled = await asCareProvider('POST', `${path}/cancel`, { reason: 'ILLNESS', note: createCanary('Note') });
  expect(cancelled.status).toBe(200);
  const changed = await asClinic('PATCH', `${CLIENTS}/${id}`, { email: `${createCanary('Changed')}@example.org` });
  expect(changed.body).toMatchObject({ name, externalId: createCanary('ExternalId') });
  expect((await asClinic('GET', `${CLIENTS}/${id}`)).body).toEqual(changed.body);
  expect(await readSession(session!.id)).toMatchObject({
    ...{ title: createCanary('Title'), description: `${createCanary('Title')} text` },
    cancellation: { note: createCanary('Note') },
  });
  expect((await asClinic('GET', `${CLIENTS}?name=${name}`)).body.items).toHaveLength(1);
  expect((await asClinic('GET', `${CLIENTS}?sort=name`)).body.items).toHaveLength(4);
  expect(findCanaries(await dump())).toEqual([]);
});

describe('a Design Plan', () => {
  const toBody = (text: string) => ({
    planName: text,
    appointmentTitle: `${text} title`,
    appointmentDesc: `${text} "description" \u0001`,
    weeks: [{ name: `${text} week`, ordering: 1, assignments: [] }],
  });

  async function createPlan(text: string): Promise<string> {
    const created = await asClinic('POST', PLANS, toBody(text));
    expect(created.status).toBe(201);
    return `${PLANS}/${idOf(created.headers.get('location')!)}`;
  }

  async function replacePlan(path: string, text: string, change: object = {}): Promise<void> {
    const headers = { 'if-match': '"1"' };
    const body = { ...toBody(text), ...change };
    const replaced = await app.call('PUT', path, { token: clinic.clinicToken, headers, body });
    expect(replaced.status).toBe(200);
  }

  const idOf = (path: string) => Number(path.split('/').at(-1));

  it('has no readable text in a dump, nor has a revision, and both are returned as they were sent', async () => {
    const [first, second] = [createCanary('FirstPlan'), createCanary('SecondPlan')];
    const path = await createPlan(first);
    await replacePlan(path, second);
    expect((await asClinic('GET', path)).body).toMatchObject(toBody(second));
    expect((await asClinic('GET', `${path}/revision/1`)).body).toMatchObject(toBody(first));
    const { weeks: _, ...summary } = toBody(second);
    expect((await asClinic('GET', `${PLANS}?name=${second}`)).body.items).toMatchObject([summary]);
    expect((await asClinic('GET', `${PLANS}?sort=name`)).body.items).toMatchObject([summary]);
    expect((await asClinic('GET', PLANS)).body.items).toMatchObject([summary]);
    expect(findCanaries(await dump())).toEqual([]);
  });

  it('whose texts were moved shows none of them, and keeps them when its state is changed', async () => {
    const [path, other] = [await createPlan('Own'), await createPlan('Other')];
    const [id, otherId] = [idOf(path), idOf(other)];
    await app.queryRows(sql`
      update design_plan p set weeks = o.weeks, appointment_title = p.plan_name from design_plan o
      where p.id = ${id} and o.id = ${otherId} and o.clinic_id = p.clinic_id`);
    const stored = () => app.queryRows(sql`select appointment_title, weeks from design_plan where id = ${id}`);
    const before = await stored();
    expect((await asClinic('GET', path)).body).toMatchObject({
      ...{ planName: 'Own', appointmentTitle: UNREADABLE_TEXT_PLACEHOLDER },
      weeks: [{ name: UNREADABLE_TEXT_PLACEHOLDER, ordering: 1, assignments: [] }],
    });
    expect((await asClinic('DELETE', path)).status).toBe(204);
    expect(await stored()).toEqual(before);
    expect((await asClinic('GET', other)).body).toMatchObject(toBody('Other'));
  });

  it('whose Clinic has no key any more shows nothing, and is not written again', async () => {
    const path = await createPlan('Own');
    await app.nest.get(FieldEncryption).keys!.destroy([{ kind: 'CLINIC', id: clinic.clinicId }]);
    expect((await asClinic('GET', path)).body).toMatchObject({
      ...{ planName: ERASED_TEXT_PLACEHOLDER, appointmentDesc: ERASED_TEXT_PLACEHOLDER },
      weeks: [{ name: ERASED_TEXT_PLACEHOLDER, ordering: 1, assignments: [] }],
    });
    expect((await asClinic('POST', PLANS, toBody('New'))).status).toBe(409);
  });

  it('in clear text is read as well, and encrypted with its revisions', async () => {
    const text = createCanary('PlainPlan');
    const path = await createPlan('Own');
    await replacePlan(path, 'Own', { appointmentDesc: 'Next' });
    const weeks = JSON.stringify(toBody(text).weeks);
    for (const table of ['design_plan', 'design_plan_revision'])
      await app.queryRows(sql`
        update ${sql.table(table)} set plan_name = ${text}, appointment_desc = null, weeks = ${weeks}::jsonb
        where ${sql.ref(table === 'design_plan' ? 'id' : 'design_plan_id')} = ${idOf(path)}`);
    const expected = {
      planName: text,
      appointmentTitle: 'Own title',
      appointmentDesc: null,
      weeks: toBody(text).weeks,
    };
    const expectReadable = async () => {
      expect((await asClinic('GET', path)).body).toMatchObject(expected);
      expect((await asClinic('GET', `${path}/revision/1`)).body).toMatchObject(expected);
    };
    await expectReadable();
    expect(await encryptExistingRows(await app.forkAsSuperuser())).toBeGreaterThanOrEqual(2);
    expect(findCanaries(await dump())).toEqual([]);
    await expectReadable();
    expect(await encryptExistingRows(await app.forkAsSuperuser())).toBe(0);
  });
});

it('finds a record by its encrypted external ID, which stays unique in its Clinic', async () => {
  const id = await createClient('First', 'ehr-1');
  expect((await asClinic('POST', CLIENTS, { name: 'Second', externalId: 'ehr-1' })).status).toBe(409);
  const replaced = await asClinic('PUT', `${CLIENTS}/external/ehr-1`, { name: 'Replaced' });
  expect(replaced.status).toBe(204);
  const cleared = await asClinic('PATCH', `${CLIENTS}/${id}`, { externalId: null });
  expect(cleared.body).toMatchObject({ name: 'Replaced', externalId: null });
  await createClient('Other', 'ehr-1');
});

describe('an import', () => {
  const importLines = async (path: string, ...lines: object[]) => {
    const raw = lines.map((line) => JSON.stringify(line)).join('\n');
    const headers = { 'content-type': 'application/x-ndjson' };
    const { status, text } = await app.call('POST', `${path}/import`, { token: clinic.clinicToken, raw, headers });
    expect(status).toBe(200);
    return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Record<string, unknown>]));
  };

  it('finds the records whose external IDs cannot be read any more', async () => {
    const id = await createClient('First', 'ehr-1');
    await importLines('/gateway/profile/clinic/care-provider', { externalId: 'cp-1', name: 'Care Provider' });
    for (const table of ['client', 'care_provider'])
      await app.queryRows(sql`
        update ${sql.table(table)} set external_id = external_id || 'AAAA'
        where clinic_id = ${clinic.clinicId} and external_id is not null`);
    expect((await asClinic('GET', `${CLIENTS}/${id}`)).body.externalId).toBe(UNREADABLE_TEXT_PLACEHOLDER);
    const line = { externalId: 'ehr-1', name: 'Again', careProviderExternalIds: ['cp-1'] };
    expect(await importLines(CLIENTS, line)).toEqual([{ line: 1, status: 'replaced', externalId: 'ehr-1', id }]);
    expect((await asClinic('GET', `${CLIENTS}/${id}`)).body).toMatchObject({ name: 'Again', externalId: 'ehr-1' });
  });

  it('refuses only the line of a record whose key was destroyed after the backup of the database', async () => {
    const id = await createClient('Gone', 'ehr-1');
    await app.nest.get(FieldEncryption).keys!.destroy([{ kind: 'CLIENT', id }]);
    const lines = ['ehr-1', 'ehr-2'].map((externalId) => ({ externalId, name: externalId }));
    expect(await importLines(CLIENTS, ...lines)).toMatchObject([
      { line: 1, status: 'refused', errors: [{ pointer: '/externalId' }] },
      { line: 2, status: 'created' },
    ]);
  });
});

it('does not decrypt texts that were moved to another row or column, and reports them', async () => {
  const [first, second, third] = await createSessions('Own');
  const encryption = app.nest.get(FieldEncryption);
  const reported: string[] = [];
  const { onUnreadable } = encryption;
  encryption.onUnreadable = (table, column) => reported.push(`${table}.${column}`);
  await app.queryRows(sql`
    update session s set title = o.title from session o
    where s.id in (${first!.id}, ${second!.id}) and o.id in (${first!.id}, ${second!.id}) and o.id <> s.id
      and o.clinic_id = s.clinic_id`);
  await app.queryRows(sql`update session set description = title where id = ${third!.id}`);
  expect((await readSession(first!.id)).title).toBe(UNREADABLE_TEXT_PLACEHOLDER);
  expect((await readSession(second!.id)).title).toBe(UNREADABLE_TEXT_PLACEHOLDER);
  expect(await readSession(third!.id)).toMatchObject({ title: 'Own', description: UNREADABLE_TEXT_PLACEHOLDER });
  encryption.onUnreadable = onUnreadable;
  expect(new Set(reported)).toEqual(new Set(['session.title', 'session.description']));
});

it('keeps what it cannot read when other columns are changed', async () => {
  const sessions = await createSessions('Own');
  const stored = () =>
    app.queryRows(sql<{ title: string }>`select title from session where id = ${sessions[0]!.id}`).then(([row]) => row);
  await app.queryRows(sql`update session set title = title || 'AAAA' where id = ${sessions[0]!.id}`);
  const before = await stored();
  // The first change is written by the unit of work, the second one by a bulk statement.
  const changed = await asCareProvider(
    'PATCH',
    `${SESSIONS}/${sessions[0]!.id}`,
    { time: '11:00' },
    { 'if-match': '"1"' },
  );
  expect(changed.status).toBe(200);
  const shifted = await asCareProvider('POST', `${SERIES}/${sessions[0]!.seriesId}/shift`, { days: 1 });
  expect(shifted.status).toBe(200);
  expect(await stored()).toEqual(before);
  expect((await readSession(sessions[1]!.id)).title).toBe('Own');
});

it('shows nothing of a Client whose key was destroyed, refuses new texts, and leaves others alone', async () => {
  const [session] = await createSessions('Own');
  const [clientId, otherId] = clinic.clientIds;
  await app.nest.get(FieldEncryption).keys!.destroy([{ kind: 'CLIENT', id: clientId }]);
  expect(await readSession(session!.id)).toMatchObject({
    title: ERASED_TEXT_PLACEHOLDER,
    description: ERASED_TEXT_PLACEHOLDER,
  });
  expect((await asClinic('GET', `${CLIENTS}/${clientId}`)).body.name).toBe(ERASED_TEXT_PLACEHOLDER);
  expect((await asClinic('GET', `${CLIENTS}/${otherId}`)).body.name).toBe('Two');
  const body = { clientId, title: 'New', date: '2031/02/03', time: '10:00' };
  expect((await asCareProvider('POST', SESSIONS, body)).status).toBe(409);
  expect((await asCareProvider('POST', SESSIONS, { ...body, clientId: otherId })).status).toBe(201);
});

it('reads rows in clear text, and encrypts them one by one', async () => {
  const name = createCanary('Plain');
  await app.queryRows(sql`
    insert into client (clinic_id, external_id, name, email, active, created_at)
    select ${clinic.clinicId}::bigint, 'plain-' || n, ${name} || n, null, true, now() from generate_series(1, 1200) n`);
  const [row] = await app.queryRows(sql<{ id: string }>`select id from client where external_id = 'plain-7'`);
  const path = `${CLIENTS}/${row!.id}`;
  expect((await asClinic('GET', path)).body).toMatchObject({ name: `${name}7`, externalId: 'plain-7' });
  expect((await asClinic('POST', CLIENTS, { name: 'Twice', externalId: 'plain-7' })).status).toBe(409);
  expect((await asClinic('PUT', `${CLIENTS}/external/plain-8`, { name: 'Eight' })).status).toBe(204);
  const run = async () => encryptExistingRows(await app.forkAsSuperuser());
  expect(await run()).toBeGreaterThanOrEqual(1_200);
  expect(findCanaries(await dump())).toEqual([]);
  expect(await run()).toBe(0);
  expect((await asClinic('GET', path)).body).toMatchObject({ name: `${name}7`, externalId: 'plain-7' });
  expect((await asClinic('POST', CLIENTS, { name: 'Twice', externalId: 'plain-7' })).status).toBe(409);
  expect((await asClinic('PUT', `${CLIENTS}/external/plain-7`, { name: 'Seven' })).status).toBe(204);
  expect((await asClinic('GET', path)).body.name).toBe('Seven');
});

it('stores a text that looks encrypted as any other', async () => {
  const names = ['\u00011cAAAA', '\u0001', '\u0001\u0001x'];
  for (const name of names) {
    const created = await asClinic('POST', CLIENTS, { name: `x${name}` });
    expect((await asClinic('GET', created.headers.get('location')!)).body.name).toBe(`x${name}`);
  }
  const now = app.clock.now();
  const stored = await app.asSuperuser(async (em) => {
    const clients = names.map((name) => new Client(clinic.clinicId, { name }, now));
    const providers = names.map((name) => new CareProvider(clinic.clinicId, { name }, now));
    await em.persist<object>([...clients, ...providers]).flush();
    return clients.map(({ id }) => id);
  });
  const found = await app.asSuperuser((em) => em.find(Client, { id: { $in: stored } }, { orderBy: { id: 'asc' } }));
  expect(found.map(({ name }) => name)).toEqual(names);
});

it('never gives a new record the ID of a key that exists or was destroyed', async () => {
  const { keys } = app.nest.get(FieldEncryption);
  const last = await createClient('Last');
  for (const next of [last + 1, last + 2]) await keys!.createAll([{ kind: 'CLIENT', id: next }]);
  await keys!.destroy([{ kind: 'CLIENT', id: last + 2 }]);
  expect(await createClient('Next')).toBe(last + 3);
});

it('never gives a new Clinic the ID of a key that exists or was destroyed, however it is created', async () => {
  const { keys } = app.nest.get(FieldEncryption);
  const admin = await app.createToken('ADMIN');
  const data = { name: 'Clinic', timeZone: 'UTC' };
  const toId = ({ headers }: TestResponse) => Number(headers.get('location')!.split('/').at(-1));
  const create = async () => toId(await app.call('POST', '/gateway/admin/clinic', { token: admin, body: data }));
  const put = async () =>
    toId(await app.call('PUT', '/gateway/admin/clinic/external/again', { token: admin, body: data }));
  const importOne = async () => {
    const headers = { 'content-type': 'application/x-ndjson' };
    const raw = JSON.stringify({ externalId: 'again-2', ...data });
    const { text } = await app.call('POST', '/gateway/admin/clinic/import', { token: admin, raw, headers });
    return (JSON.parse(text) as { id: number }).id;
  };
  for (const createAnother of [create, put, importOne]) {
    const last = await create();
    for (const next of [last + 1, last + 2]) await keys!.createAll([{ kind: 'CLINIC', id: next }]);
    await keys!.destroy([{ kind: 'CLINIC', id: last + 2 }]);
    expect(await createAnother()).toBe(last + 3);
    expect(await keys!.createAll([{ kind: 'CLINIC', id: last + 3 }])).toEqual([false]);
  }
});

it('writes the unit of work only what has changed', async () => {
  const id = await createClient('Same', 'same');
  const changes = await app.asSuperuser(async (em) => {
    const client = await em.findOneOrFail(Client, { id });
    em.getUnitOfWork().computeChangeSets();
    const unchanged = em.getUnitOfWork().getChangeSets().length;
    client.change({ name: 'Other' });
    await em.flush();
    em.getUnitOfWork().computeChangeSets();
    return [unchanged, em.getUnitOfWork().getChangeSets().length];
  });
  expect(changes).toEqual([0, 0]);
});

it('does not start with the keys of another store, or without keys', async () => {
  const { environment } = app;
  if (environment.database.kind === 'embedded') return;
  const { keys } = environment.encryption;
  if (keys?.kind !== 'configured') throw new Error('The tests have keys');
  const start = (encryption: typeof environment.encryption) => createApplication({ ...environment, encryption });
  const other = { ...keys, directory: `${keys.directory}/other` };
  await expect(start({ encrypts: true, keys: other })).rejects.toThrow(/was encrypted with the keys of the store/);
  const file = { ...keys, directory: `${keys.directory}/store-id` };
  await expect(start({ encrypts: true, keys: file })).rejects.toThrow(
    /ENCRYPTION_KEY_DIRECTORY cannot be used \(ENOTDIR\)/,
  );
  const ring = [{ name: 'test', key: Buffer.alloc(32, 9).toString('base64') }] as const;
  await expect(start({ encrypts: true, keys: { ...keys, ring } })).rejects.toThrow(/cannot be decrypted/);
  await expect(start({ encrypts: false, keys: undefined })).rejects.toThrow(/has encrypted data/);
});
