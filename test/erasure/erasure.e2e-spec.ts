import { jest } from '@jest/globals';
import { sql } from 'kysely';
import { Erasure } from '../../src/erasure/index.js';
import { ALL_ROWS_TO_ERASE, ALL_TEXTS_TO_ERASE } from '../../src/erasure/rows-to-erase.js';
import { ErasureRun } from '../../src/erasure/run/erasure.run.js';
import { Scheduler } from '../../src/scheduler/index.js';
import { KeysUnavailableError } from '../../src/shared/errors/index.js';
import { COUNTED_RECORD_KINDS, type SubjectKind } from '../../src/shared/erasure/index.js';
import { FieldEncryption } from '../../src/shared/persistence/index.js';
import { fillTables } from '../support/contract/filled-tables.js';
import { TestTenant } from '../support/contract/tenant.js';
import { TestApp, type ClinicFixture, type TestResponse } from '../support/app/test-app.js';

/* Erasure of a Client: requested, confirmed, carried out by the job; refused under a legal hold. */

const CLIENT = '/gateway/profile/clinic/client';
const REQUEST = { reason: 'SUBJECT_REQUEST', caseReference: 'DSR-2026/0042' };
const NAME = 'Erika Mustermann';

let app: TestApp;
let clinic: ClinicFixture;
let path: string;
beforeAll(async () => {
  app = await TestApp.start();
  // Only the test carries erasures out, by `runJob`.
  await app.nest.get(Scheduler).stop('erasure');
});
beforeEach(async () => {
  clinic = await app.createClinic();
  path = `${CLIENT}/${clinic.clientIds[0]}`;
});
afterAll(() => app.stop());

const call = (method: string, to: string, body?: unknown, token = clinic.clinicToken): Promise<TestResponse> =>
  app.call(method, to, { token, ...(body === undefined ? {} : { body }) });
const request = (body: unknown = REQUEST) => call('POST', `${path}/erasure`, body);
const confirm = (id: number) => call('POST', `${path}/erasure/${id}/confirmation`);
const runJob = () => app.nest.get(ErasureRun).eraseConfirmed();
const countRows = async (table: string, condition = sql`true`) => {
  const [row] = await app.queryRows(sql<{ count: number }>`
    select count(*)::int as count from ${sql.table(table)} where clinic_id = ${clinic.clinicId} and ${condition}`);
  return row!.count;
};

/** Creates a series of two Sessions with homework and reminders, and what else a Client can have. */
async function fill(): Promise<void> {
  const [clientId] = clinic.clientIds;
  await call('PATCH', path, { name: NAME, email: 'erika@example.org', externalId: `ehr-${clientId}` });
  for (const date of ['2027/03/01', '2027/03/08']) {
    const body = { clientId, title: NAME, description: NAME, date, time: '09:30', reminders: ['-P1D'] };
    const bookIdList = [clinic.ownBookId];
    const { status } = await call(
      'POST',
      '/gateway/profile/caregiver/session',
      { ...body, bookIdList },
      clinic.careProviderToken,
    );
    expect(status).toBe(201);
  }
  const token = await app.createToken('CLIENT', clientId);
  await call('POST', '/gateway/profile/client/calendar-link', {}, token);
  await call('PUT', '/gateway/profile/client/reminder-preference', { optedOut: ['SESSION'] }, token);
}

/** Requests the erasure, waits until it can be confirmed, and confirms it. */
async function requestAndConfirm(): Promise<number> {
  const { id } = (await request()).body;
  app.clock.advance({ hours: 1 });
  expect((await confirm(id)).status).toBe(200);
  return id;
}

describe('a request', () => {
  it('counts what is erased, says when it can be confirmed, and changes nothing', async () => {
    await fill();
    const answer = await request();
    expect(answer.status).toBe(201);
    const { id } = answer.body;
    expect(answer.headers.get('location')).toBe(`${path}/erasure/${id}`);
    const counted = Object.fromEntries(
      answer.body.counts.map(({ kind, count }: { kind: string; count: number }) => [kind, count]),
    );
    expect(counted).toEqual({
      ...{ reminders: 4, homework: 2, sessions: 2, series: 2, assignments: 1, preferences: 1, calendarLinks: 1 },
      // A trigger of the release before adds a link with each preference.
      optOutLinks: 1,
    });
    const now = app.clock.now();
    expect(answer.body).toMatchObject({
      ...{ subjectKind: 'CLIENT', subjectId: clinic.clientIds[0], ...REQUEST, status: 'REQUESTED' },
      confirmableAt: now.add({ hours: 1 }).toString({ smallestUnit: 'millisecond' }),
      expiresAt: now.add({ hours: 169 }).toString({ smallestUnit: 'millisecond' }),
      ...{ confirmedAt: null, erasedAt: null, completesAt: null },
    });
    expect((await call('GET', `${path}/erasure/${id}`)).body).toEqual(answer.body);
    expect((await call('GET', `${path}/erasure`)).body.items).toEqual([answer.body]);
    expect((await call('GET', path)).body).toMatchObject({ name: NAME, active: true });
    expect(await countRows('session')).toBe(2);
  });

  it.each([
    ['an unknown reason', { reason: 'BECAUSE' }, '/reason'],
    ['no reason', {}, '/reason'],
    ['a text instead of a case number', { ...REQUEST, caseReference: 'Erika Mustermann' }, '/caseReference'],
    ['a name without a digit', { ...REQUEST, caseReference: 'Mustermann' }, '/caseReference'],
    ['a case number that is too long', { ...REQUEST, caseReference: '1'.repeat(41) }, '/caseReference'],
  ])('with %s is refused, and stores nothing', async (_, body, pointer) => {
    const answer = await request(body);
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, pointer]);
    expect(await countRows('erasure')).toBe(0);
  });

  it('is refused while another one is open, and accepted once it has expired', async () => {
    expect((await request()).status).toBe(201);
    expect((await request()).status).toBe(409);
    app.clock.advance({ hours: 169 });
    const { body } = await call('GET', `${path}/erasure`);
    expect(body.items[0].status).toBe('EXPIRED');
    expect((await confirm(body.items[0].id)).status).toBe(409);
    expect((await request()).status).toBe(201);
  });
});

describe('a confirmation', () => {
  it('too early is refused, and changes nothing', async () => {
    await fill();
    const { id } = (await request()).body;
    expect((await confirm(id)).status).toBe(409);
    expect((await call('GET', path)).body).toMatchObject({ name: NAME, active: true });
  });

  it('of another Client, or of an erasure that does not exist, is answered with 404', async () => {
    const { id } = (await request()).body;
    const others = `${CLIENT}/${clinic.clientIds[1]}/erasure/${id}`;
    expect((await call('POST', `${others}/confirmation`)).status).toBe(404);
    expect((await call('GET', others)).status).toBe(404);
    expect((await confirm(4_000_000_000)).status).toBe(404);
  });

  it('is complete only when the backups from before the last removal have expired', async () => {
    await fill();
    const id = await requestAndConfirm();
    const getStatus = async () => (await call('GET', `${path}/erasure/${id}`)).body.status;
    app.clock.advance({ hours: 20 * 24 });
    await runJob();
    app.clock.advance({ hours: 29 * 24 });
    expect(await getStatus()).toBe('CONFIRMED');
    app.clock.advance({ hours: 24 });
    expect(await getStatus()).toBe('COMPLETED');
  });

  it('removes the contents of the record at once, and ends access', async () => {
    await fill();
    const token = await app.createToken('CLIENT', clinic.clientIds[0]);
    await requestAndConfirm();
    const record = (await call('GET', path)).body;
    const erased = { name: 'Erased', email: null, externalId: null, timeZone: null, locale: null, active: false };
    expect(record).toMatchObject({ ...erased, erasedAt: expect.any(String) });
    expect((await call('PATCH', path, { active: true })).status).toBe(409);
    expect((await call('DELETE', path)).status).toBe(204);
    expect((await call('GET', '/gateway/profile/client/session', undefined, token)).status).toBe(401);
    const statuses = await app.queryRows(sql<{ status: string }>`
      select distinct status from session where clinic_id = ${clinic.clinicId}`);
    expect(statuses).not.toContainEqual({ status: 'SCHEDULED' });
  });

  it('leads to the removal of everything but tombstones with IDs, and of nothing of another Client', async () => {
    await fill();
    const [clientId, otherId] = clinic.clientIds;
    const kept = { clientId: otherId, title: 'Kept', date: '2027/03/01', time: '11:30', reminders: ['-P1D'] };
    await call('POST', '/gateway/profile/caregiver/session', kept, clinic.careProviderToken);
    const list = '/gateway/profile/caregiver/session';
    const { syncToken } = (await call('GET', `${list}?sync=true`, undefined, clinic.careProviderToken)).body;
    const id = await requestAndConfirm();
    await runJob();
    const rest = await app.queryRows(sql<{ client_id: string }>`
      select client_id::text from session where clinic_id = ${clinic.clinicId}`);
    expect(rest).toEqual([{ client_id: String(otherId) }]);
    expect(await countRows('session_series')).toBe(1);
    expect(await countRows('homework')).toBe(0);
    expect(await countRows('reminder', sql`session_id is not null`)).toBe(2);
    // The notices to the Care Provider about the cancelled Sessions.
    expect(await countRows('reminder', sql`session_id is null and recipient_kind = 'CARE_PROVIDER'`)).toBe(2);
    expect(await countRows('calendar_link')).toBe(0);
    expect(await countRows('reminder_preference')).toBe(0);
    expect(await countRows('opt_out_link')).toBe(0);
    expect(await countRows('client_assignment', sql`client_id = ${clientId}`)).toBe(0);
    expect(await countRows('client_assignment')).toBe(2);
    const changes = await call('GET', `${list}?syncToken=${syncToken}`, undefined, clinic.careProviderToken);
    expect(changes.body.deleted).toHaveLength(2);
    const { body } = await call('GET', `${path}/erasure/${id}`);
    expect(body).toMatchObject({ status: 'CONFIRMED', erasedAt: expect.any(String) });
    for (const { count, erased } of body.counts) expect(erased).toBe(count);
    app.clock.advance({ hours: 30 * 24 });
    expect((await call('GET', `${path}/erasure/${id}`)).body.status).toBe('COMPLETED');
  });

  it('is idempotent', async () => {
    const id = await requestAndConfirm();
    const again = await confirm(id);
    expect([again.status, again.body.id]).toEqual([200, id]);
    await runJob();
    expect((await confirm(id)).status).toBe(200);
    expect((await request()).status).toBe(409);
  });

  it('leaves names of records in the audit trail, and no texts', async () => {
    await fill();
    const id = await requestAndConfirm();
    await runJob();
    const { body } = await call('GET', `/gateway/profile/clinic/audit?record=client/${clinic.clientIds[0]}&limit=200`);
    const operations = body.items.map(({ operation }: { operation: string }) => operation);
    expect(operations).toEqual(
      expect.arrayContaining([`POST ${CLIENT}/{id}/erasure/{erasureId}/confirmation`, 'system erasure']),
    );
    const entry = body.items.find(({ operation }: { operation: string }) => operation === 'system erasure');
    expect(entry.records).toEqual(expect.arrayContaining([`client/${clinic.clientIds[0]}`, `erasure/${id}`]));
    expect(entry.records.filter((name: string) => name.startsWith('session/'))).toHaveLength(2);
    expect(JSON.stringify(body)).not.toContain('Mustermann');
  });

  it('removes stored answers that hold data of the Client, and those of others remain', async () => {
    await fill();
    const keyed = (clientId: number, key: string) =>
      app.call('POST', '/gateway/profile/caregiver/session', {
        token: clinic.careProviderToken,
        body: { clientId, title: NAME, date: '2027/04/01', time: key === 'a' ? '09:30' : '11:30' },
        headers: { 'idempotency-key': `${key}-${clinic.clinicId}` },
      });
    expect((await keyed(clinic.clientIds[0], 'a')).status).toBe(201);
    expect((await keyed(clinic.clientIds[1], 'b')).status).toBe(201);
    await requestAndConfirm();
    await runJob();
    const replayed = await keyed(clinic.clientIds[1], 'b');
    expect([replayed.status, replayed.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    expect((await keyed(clinic.clientIds[0], 'a')).status).toBe(422);
  });

  it('keeps the answer to the confirmation, which a retry with the same key gets', async () => {
    const { id } = (await request()).body;
    app.clock.advance({ hours: 1 });
    const keyed = () =>
      app.call('POST', `${path}/erasure/${id}/confirmation`, {
        token: clinic.clinicToken,
        headers: { 'idempotency-key': `confirmation-${id}` },
      });
    const first = await keyed();
    expect(first.status).toBe(200);
    await runJob();
    const retried = await keyed();
    expect([retried.status, retried.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(retried.text).toBe(first.text);
  });

  it('that fails is rolled back as a whole', async () => {
    await fill();
    const { id } = (await request()).body;
    app.clock.advance({ hours: 1 });
    await app.queryRows(sql`
      alter table client add constraint refused check (erased_at is null or clinic_id <> ${sql.raw(String(clinic.clinicId))})`);
    const { status } = await confirm(id);
    await app.queryRows(sql`alter table client drop constraint refused`);
    expect(status).toBeGreaterThanOrEqual(400);
    expect((await call('GET', `${path}/erasure/${id}`)).body.status).toBe('REQUESTED');
    expect((await call('GET', path)).body).toMatchObject({ name: NAME, active: true });
    expect(await countRows('session', sql`status = 'SCHEDULED'`)).toBe(2);
  });
});

describe('a legal hold', () => {
  const hold = (body: unknown = { reason: 'LITIGATION', caseReference: '7-C-118/26' }) =>
    call('PUT', `${path}/legal-hold`, body);

  it('refuses requests until it is lifted', async () => {
    expect((await hold()).body).toMatchObject({ isHeld: true, reason: 'LITIGATION', clientId: clinic.clientIds[0] });
    const refused = await request();
    expect([refused.status, refused.headers.get('content-type')]).toEqual([
      409,
      expect.stringContaining('application/problem+json'),
    ]);
    expect((await call('DELETE', `${path}/legal-hold`)).status).toBe(204);
    expect((await call('DELETE', `${path}/legal-hold`)).status).toBe(204);
    expect((await call('GET', `${path}/legal-hold`)).body).toMatchObject({ isHeld: false, reason: null, setAt: null });
    expect((await request()).status).toBe(201);
  });

  it('refuses a request that is open', async () => {
    const { id } = (await request()).body;
    await hold();
    app.clock.advance({ hours: 1 });
    expect((await confirm(id)).status).toBe(409);
    await call('DELETE', `${path}/legal-hold`);
    expect((await confirm(id)).status).toBe(409);
    expect((await call('GET', `${path}/erasure/${id}`)).body).toMatchObject({
      ...{ status: 'REFUSED', refusedAt: expect.any(String) },
    });
  });

  it('can be changed, and is kept when it is lifted', async () => {
    await hold();
    await hold({ reason: 'COMPLAINT' });
    expect((await call('GET', `${path}/legal-hold`)).body).toMatchObject({ reason: 'COMPLAINT', caseReference: null });
    await call('DELETE', `${path}/legal-hold`);
    expect(await countRows('legal_hold', sql`lifted_at is not null`)).toBe(1);
  });

  it.each([{ reason: 'X' }, { reason: 'LITIGATION', caseReference: 'Erika' }])('is refused for %j', async (body) => {
    expect((await hold(body)).status).toBe(400);
  });

  it('cannot be set for an erased Client', async () => {
    await requestAndConfirm();
    expect((await hold()).status).toBe(409);
  });
});

describe('the erasure of a Care Provider', () => {
  it('leaves the Sessions of their Clients with an erased Care Provider', async () => {
    await fill();
    const [id] = clinic.careProviderIds;
    path = `/gateway/profile/clinic/care-provider/${id}`;
    await call('PATCH', path, { name: NAME, email: 'cp@example.org' });
    await call('POST', '/gateway/profile/caregiver/calendar-link', {}, clinic.careProviderToken);
    const preference = '/gateway/profile/caregiver/reminder-preference';
    expect((await call('PUT', preference, { optedOut: ['SESSION'] }, clinic.careProviderToken)).status).toBe(200);
    await app.queryRows(sql`
      insert into hidden_session (clinic_id, care_provider_id, session_id, hidden_at)
      select clinic_id, ${id}, min(id), now() from session where clinic_id = ${clinic.clinicId} group by 1`);
    const ofOwner = sql`owner_kind = 'CARE_PROVIDER' and owner_id = ${id}`;
    const countOfCareProvider = async () => [
      ...[await countRows('reminder_preference', ofOwner), await countRows('opt_out_link', ofOwner)],
      await countRows('hidden_session', sql`care_provider_id = ${id}`),
    ];
    expect(await countOfCareProvider()).toEqual([1, 1, 1]);
    const { body } = await request();
    expect(body.counts.map(({ kind }: { kind: string }) => kind)).not.toContain('sessions');
    app.clock.advance({ hours: 1 });
    expect((await confirm(body.id)).status).toBe(200);
    await runJob();
    expect((await call('GET', `${path}/erasure/${body.id}`)).body.erasedAt).not.toBeNull();
    expect((await call('GET', path)).body).toMatchObject({ name: 'Erased', email: null });
    expect(await countRows('session', sql`caregiver_id = ${id} and status = 'CANCELLED'`)).toBe(2);
    expect(await countRows('reminder', sql`recipient_kind = 'CARE_PROVIDER'`)).toBe(0);
    expect(await countRows('reminder')).toBe(2);
    expect(await countRows('calendar_link', sql`caregiver_id is not null`)).toBe(0);
    expect(await countRows('client_assignment', sql`care_provider_id = ${id}`)).toBe(0);
    expect(await countOfCareProvider()).toEqual([0, 0, 0]);
    // Those of the Client are kept.
    expect([await countRows('reminder_preference'), await countRows('opt_out_link')]).toEqual([1, 1]);
  });

  it('leaves the present Care Provider of a Session with a reminder of its new time', async () => {
    app.clock.set('2026-11-21T10:00:00Z');
    const [from, to] = clinic.careProviderIds;
    const body = { clientId: clinic.clientIds[0], title: 'T', date: '2027/03/01', time: '09:30', reminders: ['-P7D'] };
    const caregiver = '/gateway/profile/caregiver/session';
    const { headers } = await call('POST', caregiver, body, clinic.careProviderToken);
    app.clock.set('2027-02-22T09:31:00Z');
    await app.deliverDueReminders();
    path = `/gateway/profile/clinic/care-provider/${from}`;
    expect((await call('POST', `${path}/reassign`, { toCareProviderId: to })).status).toBe(200);
    await requestAndConfirm();
    await runJob();
    const token = await app.createToken('CARE_PROVIDER', to);
    const { id } = (await call('GET', headers.get('location')!, undefined, token)).body.items[0];
    const moveTo = async (date: string) => {
      const etag = (await call('GET', `${caregiver}/${id}`, undefined, token)).headers.get('etag')!;
      const options = { token, body: { date }, headers: { 'if-match': etag } };
      expect((await app.call('PATCH', `${caregiver}/${id}`, options)).status).toBe(200);
    };
    const due = () =>
      app.queryRows(sql<{ line: string }>`
        select recipient_kind || ' ' || status || ' ' || to_char(due_at at time zone 'UTC', 'MM-DD') as line
        from reminder where clinic_id = ${clinic.clinicId} order by id`);
    expect(await due()).toEqual([{ line: 'CLIENT SENT 02-22' }]);
    await moveTo('2027/03/22');
    const moved = ['CLIENT SENT 02-22', 'CLIENT PENDING 03-15', 'CARE_PROVIDER PENDING 03-15'];
    expect((await due()).map(({ line }) => line)).toEqual(moved);
    await moveTo('2027/03/23');
    expect((await due()).map(({ line }) => line)).toEqual(moved.map((line) => line.replace('03-15', '03-16')));
  });
});

it.each<[SubjectKind, column: string, kept: string[]]>([
  // The move of a Clinic names no person. The erasure itself is kept, and the retention of the audit trail.
  ['CLINIC', 'clinic_id', ['clinic_move', 'erasure', 'retention_setting']],
  // A hold has a reference but no data about the Client, and tombstones have IDs only.
  ['CLIENT', 'client_id', ['legal_hold', 'removed_homework', 'removed_record', 'removed_session']],
])('the erasure of a %s deletes from each table with %s, with listed exceptions', async (kind, column, kept) => {
  const tables = await app.queryRows(sql<{ name: string }>`
    select table_name as name from information_schema.columns join information_schema.tables using (table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE' and column_name = ${column} and table_name not like 'audit%'
    order by 1`);
  const changed = [...ALL_ROWS_TO_ERASE, ...ALL_TEXTS_TO_ERASE].filter((rows) => rows[kind] !== undefined);
  const erased = new Set(changed.map(({ table }) => table));
  expect(tables.map(({ name }) => name).filter((name) => !erased.has(name))).toEqual(kept);
});

describe('the erasure of a Clinic', () => {
  it('removes everything of the Clinic, in transactions that are bounded, and nothing of another Clinic', async () => {
    const other = await app.createClinic();
    await fill();
    await call('POST', '/gateway/profile/clinic/design-plan', { planName: NAME, weeks: [{}] });
    const admin = await app.createToken('ADMIN');
    const clinicPath = `/gateway/admin/clinic/${clinic.clinicId}`;
    await call('PUT', `${path}/legal-hold`, { reason: 'LITIGATION' });
    expect((await call('POST', `${clinicPath}/erasure`, REQUEST, admin)).status).toBe(409);
    await call('DELETE', `${path}/legal-hold`);
    const { body, status } = await call('POST', `${clinicPath}/erasure`, REQUEST, admin);
    expect([status, body.subjectKind]).toEqual([201, 'CLINIC']);
    const trail = await call(
      'GET',
      '/gateway/profile/clinic/audit?limit=1&operation=POST /gateway/admin/clinic/{id}/erasure',
    );
    const records = [`clinic/${clinic.clinicId}`, `erasure/${body.id}`];
    expect(trail.body.items).toMatchObject([{ actorRole: 'ADMIN', records }]);
    expect(body.counts).toEqual(
      expect.arrayContaining([
        { kind: 'clients', count: 3, isLowerBound: false, erased: 0 },
        { kind: 'sessions', count: 2, isLowerBound: false, erased: 0 },
      ]),
    );
    app.clock.advance({ hours: 1 });
    const confirmed = await call('POST', `${clinicPath}/erasure/${body.id}/confirmation`, undefined, admin);
    expect(confirmed.status).toBe(200);
    expect((await call('GET', CLIENT)).status).toBe(401);
    await runJob();
    const tables = await app.queryRows(sql<{ table: string }>`
      select table_name as table from information_schema.columns
      where table_schema = 'public' and column_name = 'clinic_id' and table_name not like 'audit%'`);
    const left: string[] = [];
    for (const { table } of tables) if ((await countRows(table)) > 0) left.push(table);
    // The erasure itself, and the revocation of the Clinic's tokens, which belongs to the administrators.
    expect(left).toEqual(['erasure']);
    const record = await call('GET', clinicPath, undefined, admin);
    expect(record.body).toMatchObject({ name: 'Erased', externalId: null, active: false });
    const remaining = await app.queryRows(sql`select from client where clinic_id = ${other.clinicId}`);
    expect(remaining).toHaveLength(3);
    const { keys } = app.nest.get(FieldEncryption);
    const ownersOf = ({ clientIds, careProviderIds }: ClinicFixture) => [
      ...clientIds.map((id) => ({ kind: 'CLIENT' as const, id })),
      ...careProviderIds.map((id) => ({ kind: 'CARE_PROVIDER' as const, id })),
    ];
    expect((await keys!.load(ownersOf(clinic))).size).toBe(0);
    expect((await keys!.load(ownersOf(other))).size).toBe(5);
  });

  it('removes the rows of each table of the database, and none of another Clinic', async () => {
    // The job would process the requests for replanning, which are rows of the Clinic as well.
    await app.nest.get(Scheduler).stop('reminder-replanning');
    const [own, other] = [await TestTenant.create(app), await TestTenant.create(app)];
    for (const tenant of [own, other]) await fillTables(tenant);
    const tables = await app.queryRows(sql<{ name: string }>`
      select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'clinic_id'
      where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
        and c.relname not like 'audit%' and c.relname <> 'clinic_move' order by 1`);
    const countOf = async ({ fixture: { clinicId } }: TestTenant) => {
      const counts: Record<string, number> = {};
      for (const { name } of tables) {
        const ofClinic = sql`select from ${sql.table(name)} where clinic_id = ${clinicId}`;
        counts[name] = (await app.queryRows(ofClinic)).length;
      }
      return counts;
    };
    const { clinicToken, clinicId, clientIds } = own.fixture;
    expect((await call('DELETE', `${CLIENT}/${clientIds[1]}/legal-hold`, undefined, clinicToken)).status).toBe(204);
    const [before, ofOther] = [await countOf(own), await countOf(other)];
    // Without a row, a table would say nothing about the erasure.
    expect(tables.map(({ name }) => name).filter((name) => before[name] === 0)).toEqual([]);
    const admin = await app.createToken('ADMIN');
    const erasure = `/gateway/admin/clinic/${clinicId}/erasure`;
    const { id } = (await call('POST', erasure, REQUEST, admin)).body;
    app.clock.advance({ hours: 1 });
    expect((await call('POST', `${erasure}/${id}/confirmation`, undefined, admin)).status).toBe(200);
    await runJob();
    const after = await countOf(own);
    // The accesses of administrators are kept without their reasons, the erasures as codes, and the retention as periods.
    const kept = ['administrator_access', 'erasure', 'retention_setting'];
    expect(tables.map(({ name }) => name).filter((name) => after[name]! > 0)).toEqual(kept);
    expect(await countOf(other)).toEqual(ofOther);
    app.nest.get(Scheduler).start('reminder-replanning');
  });

  it('is refused by a legal hold that was set after the request, also when the hold is lifted', async () => {
    const admin = await app.createToken('ADMIN');
    const clinicPath = `/gateway/admin/clinic/${clinic.clinicId}/erasure`;
    const { id } = (await call('POST', clinicPath, REQUEST, admin)).body;
    const confirmAsAdmin = (erasureId: number = id) =>
      call('POST', `${clinicPath}/${erasureId}/confirmation`, undefined, admin);
    await call('PUT', `${path}/legal-hold`, { reason: 'LITIGATION' });
    app.clock.advance({ hours: 1 });
    const refused = await confirmAsAdmin();
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('legal holds')]);
    expect((await call('GET', path)).body.active).toBe(true);
    await call('DELETE', `${path}/legal-hold`);
    expect((await confirmAsAdmin()).status).toBe(409);
    expect((await call('GET', `${clinicPath}/${id}`, undefined, admin)).body.status).toBe('REFUSED');
    const next = (await call('POST', clinicPath, REQUEST, admin)).body;
    app.clock.advance({ hours: 1 });
    expect((await confirmAsAdmin(next.id)).status).toBe(200);
  });
});

it('a request for a Clinic counts each kind of rows that the job deletes', async () => {
  const rows = await app.queryRows(sql<{ name: string }>`select name from count_clinic_rows(${clinic.clinicId}, 1)`);
  const deleted = ALL_ROWS_TO_ERASE.flatMap(({ countedAs, CLINIC }) => (CLINIC === undefined ? [] : (countedAs ?? [])));
  const names = rows.map(({ name }) => name);
  expect([...names].sort()).toEqual([...new Set(deleted)].sort());
  expect([...names].sort()).toEqual([...COUNTED_RECORD_KINDS].sort());
});

it('the job continues what another one has left, and does nothing twice', async () => {
  await fill();
  const id = await requestAndConfirm();
  await Promise.all([runJob(), runJob()]);
  await runJob();
  const erasure = await app.asSuperuser((em) => em.findOneOrFail(Erasure, { id }));
  expect(erasure.erased).toMatchObject({ sessions: 2 });
});

it('the job carries out the other erasures, if one fails', async () => {
  const [clientId] = clinic.clientIds;
  const failing = await requestAndConfirm();
  path = `${CLIENT}/${clinic.clientIds[1]}`;
  const other = await requestAndConfirm();
  const keys = app.nest.get(FieldEncryption).keys!;
  const destroy = keys.destroy.bind(keys);
  const destroying = jest
    .spyOn(keys, 'destroy')
    .mockImplementation((owners) =>
      owners.some(({ kind, id }) => kind === 'CLIENT' && id === clientId)
        ? Promise.reject(new KeysUnavailableError())
        : destroy(owners),
    );
  const areErased = async () => {
    const erasures = await app.asSuperuser((em) => em.find(Erasure, { id: { $in: [failing, other] } }));
    return erasures.sort((a, b) => a.id - b.id).map(({ erasedAt }) => erasedAt !== null);
  };
  await expect(runJob()).rejects.toThrow(KeysUnavailableError);
  expect(await areErased()).toEqual([false, true]);
  destroying.mockRestore();
  await runJob();
  expect(await areErased()).toEqual([true, true]);
});
