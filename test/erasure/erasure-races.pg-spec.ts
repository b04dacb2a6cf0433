import { sql, type RawBuilder } from 'kysely';
import { ERASURE_JOB } from '../../src/erasure/run/erasure.job.js';
import { ErasureRun } from '../../src/erasure/run/erasure.run.js';
import { MessagePreparation } from '../../src/reminder/delivery/message-preparation.js';
import { generateOptOutSecret, OptOutLink } from '../../src/reminder/domain/preference/opt-out-link.entity.js';
import { Reminder, ReminderDispatcher, ReminderQueue } from '../../src/reminder/index.js';
import { Scheduler } from '../../src/scheduler/index.js';
import { ERASED_TEXT_PLACEHOLDER, FieldEncryption } from '../../src/shared/persistence/index.js';
import { interceptStatements } from '../support/database/statement-interceptor.js';
import { TestApp, waitFor, type ClinicFixture } from '../support/app/test-app.js';

/*
 * Requests that began before an erasure, and end while it runs or afterwards: none leaves a record or a text that can be
 * read.
 */

const CLIENTS = '/gateway/profile/clinic/client';
const REQUEST = { reason: 'SUBJECT_REQUEST', caseReference: null };

let app: TestApp;
let clinic: ClinicFixture;
beforeAll(async () => {
  app = await TestApp.start();
  await app.nest.get(Scheduler).stop(ERASURE_JOB);
});
beforeEach(async () => {
  clinic = await app.createClinic();
});
afterAll(() => app.stop());

const releases: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const release of releases.splice(0)) await release();
});

const keys = () => app.nest.get(FieldEncryption).keys!;
const runJob = () => app.nest.get(Scheduler).run(ERASURE_JOB);

/** Locks rows in a transaction of its own. Returns a function that ends it. */
async function holdLock(statement: RawBuilder<unknown>): Promise<() => Promise<void>> {
  const em = await app.forkAsSuperuser();
  await em.begin();
  const kysely = (em as unknown as { getKysely: () => never }).getKysely();
  await statement.execute(kysely);
  let isHeld = true;
  const release = async () => {
    if (isHeld) await em.commit();
    isHeld = false;
  };
  releases.push(release);
  return release;
}

/** Waits until this number of transactions wait for locks. */
const waitForBlocked = (count: number) =>
  waitFor(async () => {
    const rows = await app.queryRows(sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
    return rows.length >= count;
  });

async function requestErasure(path: string, token: string): Promise<string> {
  const { body, status } = await app.call('POST', `${path}/erasure`, { token, body: REQUEST });
  expect(status).toBe(201);
  app.clock.advance({ hours: 1 });
  return `${path}/erasure/${body.id}/confirmation`;
}

it('an import that began before the erasure of its Clinic is erased with it', async () => {
  const admin = await app.createToken('ADMIN');
  const existing = { name: 'Known', externalId: 'known' };
  const stored = await app.call('POST', CLIENTS, { token: clinic.clinicToken, body: existing });
  expect(stored.status).toBe(201);
  const confirmation = await requestErasure(`/gateway/admin/clinic/${clinic.clinicId}`, admin);
  const release = await holdLock(sql`
    select from client where clinic_id = ${clinic.clinicId} and external_id is not null for update`);
  const lines = [
    existing,
    ...Array.from({ length: 20 }, (_, index) => ({ name: 'Late', externalId: `late-${index}` })),
  ];
  const importing = app.call('POST', `${CLIENTS}/import`, {
    token: clinic.clinicToken,
    raw: lines.map((line) => JSON.stringify(line)).join('\n'),
    headers: { 'content-type': 'application/x-ndjson' },
  });
  await waitForBlocked(1);
  const confirming = app.call('POST', confirmation, { token: admin });
  await waitForBlocked(2);
  await release();
  const [imported, confirmed] = await Promise.all([importing, confirming]);
  expect([imported.status, confirmed.status]).toEqual([200, 200]);
  const ids = imported.text.trim().split('\n').map((line) => (JSON.parse(line) as { id: number }).id); // prettier-ignore
  expect(ids).toHaveLength(lines.length);
  await runJob();
  const left = await app.queryRows(sql`select from client where clinic_id = ${clinic.clinicId}`);
  expect(left).toHaveLength(0);
  const owners = ids.map((id) => ({ kind: 'CLIENT' as const, id }));
  expect((await keys().load(owners)).size).toBe(0);
  for (const owner of owners) expect(keys().isDestroyed(owner)).toBe(true);
});

it.each([
  ['POST', CLIENTS, { name: 'Late' }],
  ['PUT', `${CLIENTS}/external/late`, { name: 'Late' }],
  ['POST', '/gateway/profile/clinic/care-provider', { name: 'Late' }],
])('%s %s that waits for the erasure of the Clinic is refused', async (method, path, body) => {
  const admin = await app.createToken('ADMIN');
  const confirmation = await requestErasure(`/gateway/admin/clinic/${clinic.clinicId}`, admin);
  // The confirmation holds the lock of the Clinic while it waits for this one.
  const release = await holdLock(sql`select from clinic where id = ${clinic.clinicId} for share`);
  const confirming = app.call('POST', confirmation, { token: admin });
  await waitForBlocked(1);
  const creating = app.call(method, path, { token: clinic.clinicToken, body });
  await waitForBlocked(2);
  await release();
  expect((await confirming).status).toBe(200);
  expect([401, 403]).toContain((await creating).status);
});

it.each([
  ['the Client', 409],
  ['the Clinic', 403],
])('a legal hold that waits for the erasure of %s is refused', async (subject, status) => {
  const { clinicId, clientIds, clinicToken } = clinic;
  const ofClinic = subject === 'the Clinic';
  const token = ofClinic ? await app.createToken('ADMIN') : clinicToken;
  const client = `${CLIENTS}/${clientIds[0]}`;
  const confirmation = await requestErasure(ofClinic ? `/gateway/admin/clinic/${clinicId}` : client, token);
  // The confirmation has found no hold, and has not ended yet.
  const release = await holdLock(sql`select from erasure where clinic_id = ${clinicId} for update`);
  const confirming = app.call('POST', confirmation, { token });
  await waitForBlocked(1);
  const holding = app.call('PUT', `${client}/legal-hold`, { token: clinicToken, body: { reason: 'LITIGATION' } });
  await waitForBlocked(2);
  await release();
  expect([(await confirming).status, (await holding).status]).toEqual([200, status]);
  expect(await app.queryRows(sql`select from legal_hold where clinic_id = ${clinicId}`)).toEqual([]);
});

it.each([
  ['a calendar link', 'POST', '/gateway/profile/client/calendar-link', {}, 403],
  ['a preference', 'PUT', '/gateway/profile/client/reminder-preference', { optedOut: ['HOMEWORK'] }, 403],
  ['an opt-out', 'POST', '/reminder/opt-out/homework/{secret}', undefined, 404],
] as const)('%s that waits for the erasure of its Client is refused', async (_name, method, path, body, status) => {
  const { clinicId, clientIds, clinicToken } = clinic;
  const [owner] = clientIds;
  const secret = generateOptOutSecret();
  await app.asSuperuser((em) =>
    em.persist(new OptOutLink(clinicId, { kind: 'CLIENT', id: owner }, secret, app.clock.now())).flush(),
  );
  const token = path.startsWith('/gateway') ? await app.createToken('CLIENT', owner) : undefined;
  const confirmation = await requestErasure(`${CLIENTS}/${owner}`, clinicToken);
  // The confirmation has locked the Client, and has not ended yet.
  const release = await holdLock(sql`select from erasure where clinic_id = ${clinicId} for update`);
  const confirming = app.call('POST', confirmation, { token: clinicToken });
  await waitForBlocked(1);
  const creating = app.call(method, path.replace('{secret}', secret), { ...(token && { token }), body });
  await waitForBlocked(2);
  // The job may end before the waiting request does, and would then leave its row.
  await release();
  expect([(await confirming).status, (await creating).status]).toEqual([200, status]);
  for (const table of ['calendar_link', 'reminder_preference'])
    expect(await app.queryRows(sql`select from ${sql.table(table)} where clinic_id = ${clinicId}`)).toEqual([]);
});

it.each([
  ['POST', '/gateway/profile/clinic/book', { title: 'Late' }, 'book'],
  ['PUT', '/gateway/profile/clinic/book/external/late', { title: 'Late' }, 'book'],
  ['POST', '/gateway/profile/clinic/design-plan', { planName: 'Late', weeks: [{}] }, 'design_plan'],
  ['PUT', '/gateway/profile/clinic/reminder-preference', { revealing: false }, 'reminder_preference'],
  ['POST', '/gateway/profile/clinic/revoked-token-holder', { record: 'clinic/{id}' }, 'revoked_token_holder'],
])('%s %s that began before the erasure of the Clinic leaves nothing', async (method, path, template, table) => {
  const body: unknown = JSON.parse(JSON.stringify(template).replace('{id}', String(clinic.clinicId)));
  const admin = await app.createToken('ADMIN');
  const confirmation = await requestErasure(`/gateway/admin/clinic/${clinic.clinicId}`, admin);
  const [insert, release] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  let isFirst = true;
  const untap = await interceptStatements(app, {
    before: async (statement) => {
      if (!isFirst || !new RegExp(`insert into "?${table}"?`).test(statement)) return;
      isFirst = false;
      insert.resolve(undefined);
      await release.promise;
    },
  });
  releases.push(async () => {
    release.resolve(undefined);
    untap();
    await app.nest.get(Scheduler).stop(ERASURE_JOB);
  });
  const creating = app.call(method, path, { token: clinic.clinicToken, body });
  expect(await Promise.race([insert.promise, creating])).toBeUndefined();
  expect((await app.call('POST', confirmation, { token: admin })).status).toBe(200);
  await app.nest.get(ErasureRun).eraseConfirmed();
  release.resolve(undefined);
  expect((await creating).status).toBeLessThan(300);
  const rowsOfClinic = () => app.queryRows(sql`select from ${sql.table(table)} where clinic_id = ${clinic.clinicId}`);
  expect(await rowsOfClinic()).not.toEqual([]);
  app.clock.advance({ minutes: 5 });
  await app.nest.get(ErasureRun).eraseConfirmed();
  expect(await rowsOfClinic()).toEqual([]);
  const [erasure] = await app.queryRows(sql`
    select erased_at is not null as "isErased" from erasure where clinic_id = ${clinic.clinicId}`);
  expect(erasure).toEqual({ isErased: true });
});

it.each([
  ['reminder_preference', sql`update reminder_preference set opt_out_token = opt_out_token`],
  ['reminder', sql`update reminder set send_at = send_at`],
])(
  'a row of %s that another transaction changes during the erasure of its Care Provider is deleted',
  async (table, change) => {
    const { clinicId, clientIds, careProviderIds, careProviderToken, clinicToken } = clinic;
    const call = (method: string, path: string, body: unknown) =>
      app.call(method, `/gateway/profile/caregiver${path}`, { token: careProviderToken, body });
    const session = { clientId: clientIds[0], title: 'T', date: '2027/03/01', time: '09:30', reminders: ['-P1D'] };
    expect((await call('POST', '/session', session)).status).toBe(201);
    expect((await call('PUT', '/reminder-preference', { optedOut: ['HOMEWORK'] })).status).toBe(200);
    const confirmation = await requestErasure(
      `/gateway/profile/clinic/care-provider/${careProviderIds[0]}`,
      clinicToken,
    );
    expect((await app.call('POST', confirmation, { token: clinicToken })).status).toBe(200);
    const release = await holdLock(sql`${change} where clinic_id = ${clinicId}`);
    const running = app.nest.get(ErasureRun).eraseConfirmed();
    await waitForBlocked(1);
    await release();
    await running;
    await app.nest.get(ErasureRun).eraseConfirmed();
    const ofPerson = table === 'reminder' ? sql`recipient_kind = 'CARE_PROVIDER'` : sql`owner_kind = 'CARE_PROVIDER'`;
    const [erasure] = await app.queryRows(sql`
    select erased_at is not null as "isErased" from erasure where clinic_id = ${clinicId}`);
    expect(erasure).toEqual({ isErased: true });
    expect(
      await app.queryRows(sql`select from ${sql.table(table)} where clinic_id = ${clinicId} and ${ofPerson}`),
    ).toEqual([]);
  },
);

it('the opt-out link of a message that is prepared during the erasure of its Client is deleted five minutes later', async () => {
  const { clinicId, clientIds, careProviderToken, clinicToken } = clinic;
  const [id] = clientIds;
  const session = { clientId: id, title: 'T', date: '2027/03/01', time: '09:30', reminders: ['-PT1H'] };
  const booked = await app.call('POST', '/gateway/profile/caregiver/session', {
    token: careProviderToken,
    body: session,
  });
  expect(booked.status).toBe(201);
  app.clock.set('2027-03-01T07:30:00Z');
  const confirmation = await requestErasure(`${CLIENTS}/${id}`, clinicToken);
  const [insert, release] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const untap = await interceptStatements(app, {
    before: async (statement) => {
      if (!/insert into "?opt_out_link"?/.test(statement)) return;
      insert.resolve(undefined);
      await release.promise;
    },
  });
  releases.push(async () => {
    release.resolve(undefined);
    untap();
    await app.nest.get(Scheduler).stop(ERASURE_JOB);
  });
  await app.nest.get(ReminderQueue).pause();
  expect(await app.nest.get(ReminderDispatcher).dispatchDue()).toBe(2);
  const reminders = await app.asSuperuser((em) => em.find(Reminder, { clinicId, recipientKind: 'CLIENT' }));
  const messageIds = reminders.map(({ messageId }) => messageId!);
  const preparing = app.nest.get(MessagePreparation).prepare(messageIds, undefined);
  await insert.promise;
  expect((await app.call('POST', confirmation, { token: clinicToken })).status).toBe(200);
  const erase = async () => {
    await app.nest.get(ErasureRun).eraseConfirmed();
    const [erasure] = await app.queryRows(sql<{ erased_at: Date; erased: object }>`
      select erased_at, erased from erasure where clinic_id = ${clinicId}`);
    return erasure!;
  };
  const countLinks = async () =>
    (await app.queryRows(sql`select from opt_out_link where clinic_id = ${clinicId} and owner_id = ${id}`)).length;
  const first = await erase();
  expect(first.erased_at).not.toBeNull();
  release.resolve(undefined);
  expect((await preparing).size).toBe(1);
  expect([await countLinks(), await erase()]).toEqual([1, first]);
  app.clock.advance({ minutes: 5 });
  const second = await erase();
  expect(await countLinks()).toBe(0);
  expect(second.erased).toEqual({ ...first.erased, optOutLinks: 1 });
  expect(second.erased_at).not.toEqual(first.erased_at);
  app.clock.advance({ minutes: 5 });
  expect(await erase()).toEqual(second);
});

const openAccess = async () =>
  app.call('POST', '/gateway/admin/administrator-access', {
    token: await app.createToken('ADMIN'),
    body: { clinicId: clinic.clinicId, reason: 'Ticket 4711' },
  });
const findReasons = () =>
  app.queryRows(sql<{ reason: string }>`select reason from administrator_access where clinic_id = ${clinic.clinicId}`);

it('an access of an administrator that waits for the erasure of the Clinic is refused', async () => {
  const admin = await app.createToken('ADMIN');
  const confirmation = await requestErasure(`/gateway/admin/clinic/${clinic.clinicId}`, admin);
  // The confirmation holds the lock of the Clinic while it waits for this one.
  const release = await holdLock(sql`select from clinic where id = ${clinic.clinicId} for share`);
  const confirming = app.call('POST', confirmation, { token: admin });
  await waitForBlocked(1);
  const opening = openAccess();
  await waitForBlocked(2);
  await release();
  expect((await confirming).status).toBe(200);
  expect((await opening).status).toBe(422);
  expect(await findReasons()).toEqual([]);
});

it('the erasure of a Clinic waits for an access of an administrator, and overwrites its reason', async () => {
  const admin = await app.createToken('ADMIN');
  const confirmation = await requestErasure(`/gateway/admin/clinic/${clinic.clinicId}`, admin);
  const release = await holdLock(sql`lock table administrator_access in share mode`);
  const opening = openAccess();
  await waitForBlocked(1);
  const confirming = app.call('POST', confirmation, { token: admin });
  await waitForBlocked(2);
  await release();
  expect([(await opening).status, (await confirming).status]).toEqual([201, 200]);
  await runJob();
  expect(await findReasons()).toEqual([{ reason: ERASED_TEXT_PLACEHOLDER }]);
});

it.each([
  // The lock of the row makes the request wait after it has encrypted the text, that of the Client before.
  ['after it was encrypted, is unreadable', 'session'],
  ['before it was encrypted, is dropped', 'client'],
])('a text whose key is destroyed %s', async (_name, lockedTable) => {
  const token = clinic.careProviderToken;
  const body = { clientId: clinic.clientIds[0], title: 'Before', date: '2027/03/01', time: '09:30' };
  await app.call('POST', '/gateway/profile/caregiver/session', { token, body });
  const ofClinic = sql`clinic_id = ${clinic.clinicId}`;
  const [session] = await app.queryRows(sql<{ id: string }>`select id from session where ${ofClinic}`);
  const path = `/gateway/profile/caregiver/session/${session!.id}`;
  const etag = (await app.call('GET', path, { token })).headers.get('etag')!;
  const release = await holdLock(sql`select from ${sql.table(lockedTable)} where ${ofClinic} for update`);
  const canary = 'Canary of a late text';
  const changing = app.call('PATCH', path, { token, body: { title: canary }, headers: { 'if-match': etag } });
  await waitForBlocked(1);
  await keys().destroy([{ kind: 'CLIENT', id: clinic.clientIds[0] }]);
  await release();
  expect((await changing).status).toBe(200);
  expect((await app.call('GET', path, { token })).body.title).toBe('[erased]');
  const rows = await app.queryRows(sql<{ title: string }>`select title from session where ${ofClinic}`);
  expect(rows[0]!.title).not.toContain(canary);
});

it.each([
  ['of one Session', ''],
  ['of the rest of a series', '?scope=following'],
])('a change %s that waits while the erasure removes it is answered with 404', async (_name, scope) => {
  const { clinicId, clientIds, clinicToken: token } = clinic;
  const body = { clientId: clientIds[0], title: 'T', date: '2027/03/01', time: '09:30', sessionCount: 2 };
  await app.call('POST', '/gateway/profile/caregiver/session', { token: clinic.careProviderToken, body });
  const confirmation = await requestErasure(`${CLIENTS}/${clientIds[0]}`, token);
  expect((await app.call('POST', confirmation, { token })).status).toBe(200);
  const ofClinic = sql`clinic_id = ${clinicId}`;
  const [session] = await app.queryRows(sql<{ id: string }>`select id from session where ${ofClinic} order by id`);
  // The job has locked the series, and waits before it removes the Sessions.
  const release = await holdLock(sql`select from session where ${ofClinic} for update`);
  const running = runJob();
  await waitForBlocked(1);
  const changing = app.call('POST', `/gateway/profile/clinic/session/${session!.id}/undo${scope}`, { token });
  await waitForBlocked(2);
  await release();
  await running;
  expect((await changing).status).toBe(404);
});

it('the caller of a request that ends after the erasure is not stored readably', async () => {
  const owner = { kind: 'CLIENT' as const, id: clinic.clientIds[1] };
  await keys().destroy([owner]);
  const place = { table: 'audit_entry', column: 'actor_subject', row: 'x' };
  const encryption = app.nest.get(FieldEncryption);
  for (const isKnown of [true, false])
    expect(await encryption.encryptTexts(owner, [{ text: 'a subject', place }], { isKnown })).toEqual(['[erased]']);
});

type Entry = { records: string[]; address: string };
it('the address of a request with a secret link is stored with the key of the owner of the link', async () => {
  const [client] = clinic.clientIds;
  const tokens = { client: await app.createToken('CLIENT', client), caregiver: clinic.careProviderToken };
  for (const [path, token] of Object.entries(tokens)) {
    const { body } = await app.call('POST', `/gateway/profile/${path}/calendar-link`, { token, body: {} });
    expect((await app.call('GET', new URL(body.url as string).pathname)).status).toBe(200);
  }
  const optOutSecret = generateOptOutSecret();
  await app.asSuperuser((em) => {
    const link = new OptOutLink(clinic.clinicId, { kind: 'CLIENT', id: client }, optOutSecret, app.clock.now());
    return em.persist(link).flush();
  });
  expect((await app.call('POST', `/reminder/opt-out/all/${optOutSecret}`)).status).toBe(200);
  const readAddresses = async () => {
    const path = '/gateway/profile/clinic/audit?limit=100&actorRole=';
    const links = ['CALENDAR_LINK', 'OPT_OUT_LINK'].map((role) =>
      app.call('GET', path + role, { token: clinic.clinicToken }),
    );
    const entries = (await Promise.all(links)).flatMap(({ body }) => body.items as Entry[]);
    return entries.map(({ records, address }) => [records.at(-1), address]).sort();
  };
  const [ofCareProvider, ofClient] = [`care-provider/${clinic.careProviderIds[0]}`, `client/${client}`];
  const expected = (address: string) => [
    [ofCareProvider, '127.0.0.1'],
    [ofClient, address],
    [ofClient, address],
  ];
  expect(await readAddresses()).toEqual(expected('127.0.0.1'));
  await keys().destroy([{ kind: 'CLIENT', id: client }]);
  expect(await readAddresses()).toEqual(expected('[erased]'));
});
