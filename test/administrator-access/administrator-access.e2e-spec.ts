import { sql } from 'kysely';
import { SignJWT } from 'jose';
import { createClient } from '../../src/client/index.js';
import { encryptExistingRows, ERASED_TEXT_PLACEHOLDER, FieldEncryption } from '../../src/shared/persistence/index.js';
import { TEST_JWT_SECRET, TestApp, type ClinicFixture } from '../support/app/test-app.js';

/* Accesses of administrators to the data of a Clinic: bounded, for a reason, reads only, and seen by the Clinic. */

const ADMIN = '/gateway/admin/administrator-access';
const CLINIC = '/gateway/profile/clinic/administrator-access';
const CLIENTS = '/gateway/profile/clinic/client';
const REASON = 'Support ticket 4711';

type Access = { id: number; clinicId: number; open: boolean; openedAt: string; expiresAt: string };
type Entry = { operation: string; actorRole: string; actorSubject: string; outcome: string; records: string[] };

let app: TestApp;
let admin: string;
let clinic: ClinicFixture;
beforeAll(async () => {
  app = await TestApp.start();
});
beforeEach(async () => {
  app.clock.set('2026-11-21T10:00:00Z');
  clinic = await app.createClinic();
  admin = await signAdmin('support-1');
});
afterAll(() => app.stop());

/** The token of an administrator, which lives longer than an access. */
function signAdmin(sub: string, role: string | string[] = 'ADMIN'): Promise<string> {
  const exp = Math.floor(Date.now() / 1000) + 7_200;
  return new SignJWT({ sub, role, exp }).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(TEST_JWT_SECRET));
}

async function open(more: object = {}, token = admin): Promise<Access> {
  const body = { clinicId: clinic.clinicId, reason: REASON, ...more };
  const answer = await app.call('POST', ADMIN, { token, body });
  expect([answer.status, answer.body]).toEqual([201, expect.objectContaining({ open: true })]);
  return answer.body as Access;
}
const use = (id: unknown, path = CLIENTS, method = 'GET', token = admin) =>
  app.call(method, path, { token, headers: { 'administrator-access': String(id) } });
const statusOf = async (...args: Parameters<typeof use>) => (await use(...args)).status;
const list = async (path: string, token: string, query = '') =>
  ((await app.call('GET', path + query, { token })).body as { items: Access[] }).items;
async function entriesOf(access: Access): Promise<Entry[]> {
  const path = `/gateway/profile/clinic/audit?record=administrator-access/${access.id}`;
  const { body } = await app.call('GET', path, { token: clinic.clinicToken });
  return (body as { items: Entry[] }).items.toReversed();
}

describe(`POST ${ADMIN}`, () => {
  it('opens an access for 30 minutes, or for the minutes of the request', async () => {
    const access = await open();
    expect(access).toEqual({
      ...{ id: expect.any(Number), clinicId: clinic.clinicId, administrator: 'support-1', reason: REASON, open: true },
      ...{ openedAt: expect.any(String), expiresAt: expect.any(String), endedAt: null, endedBy: null },
    });
    expect(Date.parse(access.expiresAt) - Date.parse(access.openedAt)).toBe(30 * 60_000);
    const short = await open({ minutes: 1 });
    expect(Date.parse(short.expiresAt) - Date.parse(short.openedAt)).toBe(60_000);
  });

  it.each<[string, object]>([
    ['/reason', { reason: ' ' }],
    ['/reason', { reason: 'x'.repeat(501) }],
    ['/reason', { reason: undefined }],
    ['/minutes', { minutes: 0 }],
    ['/minutes', { minutes: 61 }],
    ['/minutes', { minutes: 1.5 }],
    ['/clinicId', { clinicId: '1' }],
    ['/clinicId', { clinicId: undefined }],
  ])('names %s in %j', async (pointer, wrong) => {
    const body = { clinicId: clinic.clinicId, reason: REASON, ...wrong };
    const answer = await app.call('POST', ADMIN, { token: admin, body });
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, pointer]);
    expect(await list(CLINIC, clinic.clinicToken)).toEqual([]);
  });

  it('refuses a Clinic that does not exist or is deactivated', async () => {
    await app.call('DELETE', `/gateway/admin/clinic/${clinic.clinicId}`, { token: admin });
    for (const clinicId of [4_000_000_000_000, clinic.clinicId]) {
      const answer = await app.call('POST', ADMIN, { token: admin, body: { clinicId, reason: REASON } });
      expect([answer.status, answer.body.errors[0].pointer]).toEqual([422, '/clinicId']);
    }
  });

  it('is in the audit trails of the Clinic and of administrators, without the reason', async () => {
    const access = await open();
    const entry = { operation: `POST ${ADMIN}`, actorRole: 'ADMIN', actorSubject: 'support-1', outcome: 'OK' };
    expect(await entriesOf(access)).toEqual([expect.objectContaining(entry)]);
    const path = `/gateway/admin/audit?record=administrator-access/${access.id}`;
    const { body } = await app.call('GET', path, { token: admin });
    expect(body.items).toEqual([expect.objectContaining(entry)]);
    expect(JSON.stringify([await entriesOf(access), body])).not.toContain(REASON);
  });
});

describe('the reason', () => {
  const stored = async (id: number) => {
    const rows = await app.queryRows(sql<{ text: string }>`
      select a::text as text from administrator_access a where id = ${id}`);
    return rows[0]!.text;
  };
  const readReasons = async (id: number) => {
    const readers = [await list(CLINIC, clinic.clinicToken), await list(ADMIN, admin)];
    return readers.map((items) => (items.find((item) => item.id === id) as unknown as { reason: string }).reason);
  };

  it('is encrypted in the database, also when the access has ended', async () => {
    const access = await open();
    expect(await stored(access.id)).not.toContain(REASON);
    expect((await app.call('DELETE', `${ADMIN}/${access.id}`, { token: admin })).body).toMatchObject({
      ...{ reason: REASON, open: false },
    });
    expect(await stored(access.id)).not.toContain(REASON);
    expect(await readReasons(access.id)).toEqual([REASON, REASON]);
  });

  it('in clear text is read as well, and encrypted by encrypt-rows', async () => {
    const access = await open();
    await app.queryRows(sql`update administrator_access set reason = 'Plain reason' where id = ${access.id}`);
    expect(await readReasons(access.id)).toEqual(['Plain reason', 'Plain reason']);
    expect(await encryptExistingRows(await app.forkAsSuperuser())).toBeGreaterThanOrEqual(1);
    expect(await stored(access.id)).not.toContain('Plain reason');
    expect(await readReasons(access.id)).toEqual(['Plain reason', 'Plain reason']);
  });

  it('of a Clinic whose key was destroyed is shown as erased, and the access can still be ended', async () => {
    const access = await open();
    await app.nest.get(FieldEncryption).keys!.destroy([{ kind: 'CLINIC', id: clinic.clinicId }]);
    expect(await readReasons(access.id)).toEqual([ERASED_TEXT_PLACEHOLDER, ERASED_TEXT_PLACEHOLDER]);
    expect(await statusOf(access.id)).toBe(200);
    const before = await stored(access.id);
    expect((await app.call('DELETE', `${CLINIC}/${access.id}`, { token: clinic.clinicToken })).status).toBe(200);
    const reason = before.slice(before.indexOf('\u0001')).split(/[,"]/)[0]!;
    expect(await stored(access.id)).toContain(reason);
  });
});

describe('the header Administrator-Access', () => {
  it('lets the administrator read the data of that Clinic only', async () => {
    const other = await app.createClinic();
    const access = await open();
    const { status, body } = await use(access.id);
    expect([status, body.items.map(({ id }: { id: number }) => id).sort()]).toEqual([200, clinic.clientIds.toSorted()]);
    expect(await statusOf(access.id, `${CLIENTS}/${clinic.clientIds[0]}`)).toBe(200);
    expect(await statusOf(access.id, `${CLIENTS}/${other.clientIds[0]}`)).toBe(404);
  });

  it('changes nothing, also in dry runs', async () => {
    const access = await open();
    const target = `${CLIENTS}/${clinic.clientIds[0]}`;
    for (const method of ['DELETE', 'PATCH', 'PUT', 'POST']) {
      const path = { POST: CLIENTS, PUT: '/gateway/profile/clinic/retention?dryRun=true' }[method] ?? target;
      const headers = { 'administrator-access': String(access.id) };
      const body = method === 'DELETE' ? undefined : { name: 'Changed' };
      expect([method, (await app.call(method, path, { token: admin, body, headers })).status]).toEqual([method, 403]);
    }
    expect(await statusOf(access.id, `${CLINIC}/${access.id}`, 'DELETE')).toBe(403);
    const client = await app.call('GET', target, { token: clinic.clinicToken });
    expect(client.body).toMatchObject({ active: true, version: 1 });
  });

  it('is of no use for operations of other roles, for other administrators and for other callers', async () => {
    const access = await open();
    expect(await statusOf(access.id, '/gateway/profile/caregiver/session')).toBe(403);
    expect(await statusOf(access.id, '/gateway/profile/client/session')).toBe(403);
    expect(await statusOf(access.id, CLIENTS, 'GET', await signAdmin('support-2'))).toBe(403);
    expect(await statusOf(access.id, CLIENTS, 'GET', clinic.careProviderToken)).toBe(403);
    const other = await app.createClinic();
    const answer = await use(access.id, CLIENTS, 'GET', other.clinicToken);
    expect(answer.body.items.map(({ id }: { id: number }) => id).sort()).toEqual(other.clientIds.toSorted());
    expect((await app.call('GET', CLIENTS, { token: admin })).status).toBe(403);
  });

  it.each(['', '0', 'x', '1,2', '-1', '9'.repeat(30)])('names the header if it is %j', async (value) => {
    const answer = await use(value);
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, '/administrator-access']);
  });

  it('is refused for an access that does not exist, and from the instant at which the access expires', async () => {
    const access = await open({ minutes: 10 });
    expect(await statusOf(4_000_000_000)).toBe(403);
    app.clock.set(String(Temporal.Instant.from(access.expiresAt).subtract({ milliseconds: 1 })));
    expect(await statusOf(access.id)).toBe(200);
    app.clock.set(access.expiresAt);
    expect(await statusOf(access.id)).toBe(403);
    expect(await list(CLINIC, clinic.clinicToken)).toEqual([expect.objectContaining({ id: access.id, open: false })]);
  });

  it('puts each request into the audit trail of the Clinic, also denied ones and reads without client data', async () => {
    const access = await open();
    const [client] = clinic.clientIds;
    await use(access.id, `${CLIENTS}/${client}`);
    await use(access.id, '/gateway/profile/clinic/book');
    await use(access.id, `${CLIENTS}/4000000000000`);
    const by = { actorRole: 'ADMIN', actorId: null, actorSubject: 'support-1', access: 'READ' };
    const name = `administrator-access/${access.id}`;
    const [, ...reads] = await entriesOf(access);
    expect(reads).toMatchObject([
      { ...by, operation: `GET ${CLIENTS}/{id}`, outcome: 'OK', records: [name, `client/${client}`] },
      { ...by, operation: 'GET /gateway/profile/clinic/book', outcome: 'OK', records: expect.arrayContaining([name]) },
      { ...by, operation: `GET ${CLIENTS}/{id}`, outcome: '404' },
    ]);
  });

  it('puts each denied write into the audit trail of the Clinic, while the access is open', async () => {
    const access = await open();
    const target = `${CLIENTS}/${clinic.clientIds[0]}`;
    const write = async (value: unknown) => {
      const headers = { 'administrator-access': String(value), 'idempotency-key': `key-${access.id}` };
      const { status } = await app.call('POST', CLIENTS, { token: admin, body: { name: 'New' }, headers });
      return status;
    };
    expect([await write(access.id), await statusOf(access.id, target, 'DELETE')]).toEqual([403, 403]);
    // Each is denied as a write without the header is, in the audit trail of administrators.
    expect([await write('x'), await write(4_000_000_000)]).toEqual([403, 403]);
    expect(await statusOf(access.id, CLIENTS, 'POST', await signAdmin('support-2'))).toBe(403);
    app.clock.set(access.expiresAt);
    expect(await write(access.id)).toBe(403);
    const by = { actorRole: 'ADMIN', actorId: null, actorSubject: 'support-1', access: 'WRITE', outcome: '403' };
    const name = `administrator-access/${access.id}`;
    const [, ...denied] = await entriesOf(access);
    expect(denied).toEqual([
      expect.objectContaining({ ...by, operation: `POST ${CLIENTS}`, records: [name] }),
      expect.objectContaining({ ...by, operation: `DELETE ${CLIENTS}/{id}` }),
    ]);
    const query = `/gateway/admin/audit?outcome=403&operation=${encodeURIComponent(`POST ${CLIENTS}`)}`;
    const ofAdministrators = (await app.call('GET', query, { token: admin })).body.items as Entry[];
    expect(ofAdministrators.slice(0, 4).map(({ actorSubject, records }) => [actorSubject, records])).toEqual([
      ['support-1', []],
      ['support-2', []],
      ['support-1', []],
      ['support-1', []],
    ]);
  });

  it('does not give the rights of an account of the Clinic with the same subject', async () => {
    const access = await open({}, await signAdmin('same'));
    const key = { 'idempotency-key': 'a key', 'administrator-access': String(access.id) };
    const body = { name: 'A Client' };
    const answer = await app.call('POST', CLIENTS, { token: await signAdmin('same'), body, headers: key });
    expect([answer.status, answer.headers.get('idempotent-replayed')]).toEqual([403, null]);
  });
});

describe.each(['the administrator', 'the Clinic'])('DELETE by %s', (who) => {
  const [path, by] = who === 'the Clinic' ? [CLINIC, 'CLINIC'] : [ADMIN, 'ADMIN'];
  const token = () => (who === 'the Clinic' ? clinic.clinicToken : admin);

  it('ends the access at once, and is idempotent', async () => {
    const access = await open();
    const ended = await app.call('DELETE', `${path}/${access.id}`, { token: token() });
    expect([ended.status, ended.body]).toMatchObject([200, { open: false, endedBy: by, endedAt: expect.any(String) }]);
    expect(await statusOf(access.id)).toBe(403);
    app.clock.advance({ minutes: 1 });
    expect((await app.call('DELETE', `${path}/${access.id}`, { token: token() })).body).toEqual(ended.body);
    const [row] = await app.queryRows(sql<{ by: string }>`
      select ended_by as by from administrator_access where id = ${access.id}`);
    expect(row).toEqual({ by });
    expect((await entriesOf(access)).map(({ operation }) => operation)).toContain(`DELETE ${path}/{id}`);
  });

  it('changes nothing of an access that has expired', async () => {
    const access = await open({ minutes: 1 });
    app.clock.advance({ minutes: 2 });
    const { status, body } = await app.call('DELETE', `${path}/${access.id}`, { token: token() });
    expect([status, body]).toMatchObject([200, { open: false, endedAt: null, endedBy: null }]);
  });
});

it('can be used with the typed client, also if the token has several roles', async () => {
  const { id } = await open();
  const severalRoles = await signAdmin('support-1', ['ADMIN', 'CARE_PROVIDER']);
  for (const token of [admin, severalRoles]) {
    const api = createClient({ baseUrl: app.url, token });
    const { items } = await api.clinic.listClients({}, { administratorAccess: id });
    expect(items.map((client) => client.id)).toEqual(expect.arrayContaining(clinic.clientIds));
    await expect(api.clinic.listClients()).rejects.toMatchObject({ status: 403 });
  }
});

it('hides the accesses of others, also from other administrators', async () => {
  const access = await open();
  const [stranger, other] = [await signAdmin('support-2'), await app.createClinic()];
  expect((await app.call('DELETE', `${ADMIN}/${access.id}`, { token: stranger })).status).toBe(404);
  expect((await app.call('DELETE', `${CLINIC}/${access.id}`, { token: other.clinicToken })).status).toBe(404);
  expect(await list(CLINIC, other.clinicToken)).toEqual([]);
  expect((await list(ADMIN, stranger)).map(({ id }) => id)).not.toContain(access.id);
  expect(await statusOf(access.id)).toBe(200);
});

describe('the lists', () => {
  it('have the newest first, page by page, and can be limited to open ones', async () => {
    const first = await open({ minutes: 1 });
    app.clock.advance({ minutes: 2 });
    const [second, third] = [await open(), await open()];
    for (const [path, token] of [
      [CLINIC, clinic.clinicToken],
      [ADMIN, admin],
    ] as const) {
      const ids = async (query: string) =>
        (await list(path, token, query)).filter((one) => one.clinicId === clinic.clinicId).map(({ id }) => id);
      expect(await ids('')).toEqual([third.id, second.id, first.id]);
      expect(await ids('?open=true')).toEqual([third.id, second.id]);
      expect(await ids('?open=false')).toEqual([first.id]);
    }
    const page = await app.call('GET', `${CLINIC}?limit=2`, { token: clinic.clinicToken });
    const rest = await list(CLINIC, clinic.clinicToken, `?limit=2&cursor=${page.body.nextCursor}`);
    expect(rest.map(({ id }) => id)).toEqual([first.id]);
  });
});
