import { sql } from 'kysely';
import { AuditSealer, AuditVerifier } from '../../src/audit/index.js';
import { MikroORM } from '@mikro-orm/core';
import { Scheduler } from '../../src/scheduler/index.js';
import { createConnectionLostError, interceptStatements } from '../support/database/statement-interceptor.js';
import { decryptAuditRows } from '../support/app/audit-callers.js';
import { RECORD_FACTORIES, TestTenant } from '../support/contract/tenant.js';
import { TestApp, type TestResponse } from '../support/app/test-app.js';

/* Tests the audit entries of denied requests: of errors with client data, and of repeated requests. */

type Entry = {
  operation: string;
  outcome: string;
  count: number;
  records: string[];
  clinic_id: number | null;
  actor_role: string;
  actor_id: number | null;
  request_id: string;
};

const LIMIT = 40;
const SESSION = '/gateway/profile/caregiver/session';
const UNKNOWN = () => `/calendar/${'A'.repeat(30)}${String((serial += 1)).padStart(13, '0')}.ics`;
let serial = 0;

let app: TestApp;
let own: TestTenant;
beforeAll(async () => {
  app = await TestApp.start({
    rateLimits: { caller: 1_000_000, address: 1_000_000, 'failed-authentication': LIMIT },
    trustedProxies: ['127.0.0.1'],
  });
  own = await TestTenant.create(app);
});
afterAll(() => app.stop());

async function entriesAfter(id: number): Promise<(Entry & { id: number; address: string })[]> {
  const rows = await app.queryRows(
    sql<{ entry: Entry & { id: number; address: string } }>`
      select to_jsonb(e) as entry from audit_entry e where id > ${id}::bigint order by id`,
  );
  return decryptAuditRows(
    app,
    rows.map(({ entry }) => entry),
  );
}
const lastId = async () => (await entriesAfter(0)).at(-1)?.id ?? 0;

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });

async function aMinuteLater(): Promise<void> {
  app.clock.advance({ minutes: 1 });
  await app.nest.get(Scheduler).run('audit-repeated-denials');
}

const statusesOf = (answers: readonly TestResponse[]) =>
  Object.fromEntries([...Map.groupBy(answers, ({ status }) => status)].map(([status, { length }]) => [status, length]));

describe('without a token', () => {
  it('an unknown link counts as failed authentication: 429 beyond the limit, and two entries in a minute', async () => {
    const start = await lastId();
    const answers: TestResponse[] = [];
    for (let call = 0; call < LIMIT + 20; call += 1)
      answers.push(await app.call('GET', UNKNOWN(), from('203.0.113.1')));
    expect(statusesOf(answers)).toEqual({ 404: LIMIT, 429: 20 });
    expect(answers[0]!.headers.get('ratelimit-policy')).toContain(`"failed-authentication";q=${LIMIT};w=60`);
    expect(await entriesAfter(start)).toHaveLength(1);
    await aMinuteLater();
    expect(await entriesAfter(start)).toEqual([
      expect.objectContaining({ outcome: '404', count: 1, address: '203.0.113.1', clinic_id: null }),
      expect.objectContaining({ outcome: '404', count: LIMIT - 1, address: '203.0.113.1', clinic_id: null }),
    ]);
    // Other callers and valid links are not blocked.
    const { path } = await RECORD_FACTORIES.clientLink(own);
    const opened = await app.call('GET', `/calendar/${path['secret']}.ics`, from('203.0.113.1'));
    expect([opened.status, (await app.call('GET', UNKNOWN(), from('203.0.113.2'))).status]).toEqual([200, 404]);
  });

  it('an unknown opt-out link also counts as failed authentication', async () => {
    const start = await lastId();
    const answers: TestResponse[] = [];
    for (let call = 0; call < LIMIT + 5; call += 1)
      answers.push(
        await app.call('POST', `/reminder/opt-out/session/${'x'.repeat(31)}${call % 10}`, from('203.0.113.3')),
      );
    expect(statusesOf(answers)).toEqual({ 404: LIMIT, 429: 5 });
    expect(await entriesAfter(start)).toHaveLength(1);
    await aMinuteLater();
    expect((await entriesAfter(start)).map(({ count }) => count)).toEqual([1, LIMIT - 1]);
  });

  it('the first denial of each address, operation and outcome is written at once; repetitions are counted and written once a minute', async () => {
    const start = await lastId();
    const deny = (address: string, path = SESSION) => app.call('GET', path, { token: 'broken', ...from(address) });
    for (const address of ['203.0.113.4', '203.0.113.5', '203.0.113.4', '203.0.113.4']) await deny(address);
    await deny('203.0.113.4', '/gateway/profile/clinic/session');
    // All addresses with the same first 64 bits count as one, because they belong to one subscriber (RFC 6177).
    for (const end of [1, 2, 3]) await deny(`2001:db8::${end}`);
    const told = async () => (await entriesAfter(start)).map(({ address, count }) => [address, count]);
    const first = [['203.0.113.4', 1], ['203.0.113.5', 1], ['203.0.113.4', 1], ['2001:db8::1', 1]]; // prettier-ignore
    expect(await told()).toEqual(first);
    await aMinuteLater();
    const counted = [...first, ['203.0.113.4', 2], ['2001:db8::2', 2]];
    expect(await told()).toEqual(counted);
    await deny('203.0.113.4');
    expect(await told()).toEqual(counted);
    await aMinuteLater();
    expect(await told()).toEqual([...counted, ['203.0.113.4', 1]]);
    await aMinuteLater();
    await deny('203.0.113.4');
    expect(await told()).toEqual([...counted, ['203.0.113.4', 1], ['203.0.113.4', 1]]);
  });

  it('a flood of addresses causes a limited number of entries, whose counts include all requests', async () => {
    await aMinuteLater();
    await aMinuteLater();
    const start = await lastId();
    const addresses = Array.from({ length: 1_050 }, (_, index) => `198.18.${index >> 8}.${index & 255}`);
    for (const address of addresses) await app.call('GET', SESSION, { token: 'broken', ...from(address) });
    expect(await entriesAfter(start)).toHaveLength(1_000);
    await aMinuteLater();
    const rest = (await entriesAfter(start)).slice(1_000);
    expect(rest).toEqual([expect.objectContaining({ address: 'others', count: 50, outcome: '401' })]);
  });

  it('counts that could not be written are written a minute later', async () => {
    await aMinuteLater();
    const start = await lastId();
    for (const _ of [1, 2, 3]) await app.call('GET', UNKNOWN(), from('203.0.113.10'));
    const untap = await interceptStatements(app, {
      before: (text) => {
        if (text.includes('audit_entry')) throw createConnectionLostError();
      },
    });
    try {
      await aMinuteLater();
    } finally {
      untap();
    }
    const counts = async () => (await entriesAfter(start)).map(({ count }) => count);
    expect(await counts()).toEqual([1]);
    await aMinuteLater();
    expect(await counts()).toEqual([1, 2]);
  });

  it('a revoked link is counted separately, and its Clinic can read the entry', async () => {
    await aMinuteLater();
    const { path } = await RECORD_FACTORIES.clientLink(own);
    await app.queryRows(sql`update calendar_link set revoked_at = now() where id = ${path['id']}::bigint`);
    const start = await lastId();
    for (const _ of [1, 2, 3]) await app.call('GET', UNKNOWN(), from('203.0.113.9'));
    for (const _ of [1, 2, 3]) await app.call('GET', `/calendar/${path['secret']}.ics`, from('203.0.113.9'));
    await aMinuteLater();
    const left = (await entriesAfter(start)).map(({ clinic_id, count, records }) => [clinic_id, count, records.length]);
    const { clinicId } = own.fixture;
    expect(left).toEqual([[null, 1, 0], [clinicId, 1, 2], [null, 2, 0], [clinicId, 2, 2]]); // prettier-ignore
  });

  it('entries with a count are sealed and verified, and Clinics and administrators see the count', async () => {
    for (const _ of [1, 2, 3]) await app.call('GET', '/gateway/profile/client/session', from('203.0.113.6'));
    await aMinuteLater();
    const { body } = await app.call('GET', '/gateway/admin/audit?limit=1', {
      token: await app.createToken('ADMIN'),
    });
    expect(body.items[0]).toMatchObject({ operation: 'GET /gateway/profile/client/session', count: 2, records: [] });
    await app.nest.get(AuditSealer).seal();
    const verifier = new AuditVerifier(app.nest.get(MikroORM).em, () => undefined);
    expect(await verifier.verify(app.clock.now())).toMatchObject({ findings: 0 });
    const id = Number(body.items[0].id);
    await app.queryRows(sql`alter table audit_entry disable trigger all`);
    await app.queryRows(sql`update audit_entry set count = 1 where id = ${id}::bigint`);
    expect(await verifier.verify(app.clock.now())).toMatchObject({ findings: 1 });
    await app.queryRows(sql`update audit_entry set count = 2 where id = ${id}::bigint`);
    await app.queryRows(sql`alter table audit_entry enable trigger all`);
  });
});

describe('a 409 that lists overlaps', () => {
  let otherSession: number;
  const create = (query: string, title: string) =>
    app.call('POST', `${SESSION}${query}`, {
      token: own.fixture.careProviderToken,
      body: { clientId: own.fixture.clientIds[0], title, date: '2028/06/01', time: '10:00', sessionCount: 2 },
    });
  beforeAll(async () => {
    const { body } = await create('', 'First');
    otherSession = Number(/: (\d+)/.exec(body.message)![1]);
  });

  it('must not be cached, and causes an entry that names the Sessions in the response', async () => {
    const start = await lastId();
    const answer = await create('?conflicts=reject', 'Second');
    expect([answer.status, answer.body.conflictCount]).toEqual([409, 2]);
    expect(answer.headers.get('cache-control')).toContain('no-store');
    const [entry, ...more] = await entriesAfter(start);
    expect(more).toEqual([]);
    expect(entry).toMatchObject({ operation: `POST ${SESSION}`, outcome: '409', clinic_id: own.fixture.clinicId });
    const shown = (answer.body.conflicts as { otherSessionId: number }[]).map((one) => `session/${one.otherSessionId}`);
    expect(shown).toContain(`session/${otherSession}`);
    expect(entry!.records).toEqual(expect.arrayContaining([...shown, `client/${own.fixture.clientIds[0]}`]));
  });

  it('is not returned if its entry cannot be written', async () => {
    const untap = await interceptStatements(app, {
      before: (statement) => {
        if (statement.includes('insert into audit_entry')) throw createConnectionLostError();
      },
    });
    const answer = await create('?conflicts=reject', 'Third');
    untap();
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    expect(answer.text).not.toContain('otherSessionId');
  });
});

it('errors of operations that return client data must not be cached either', async () => {
  const { path } = await RECORD_FACTORIES.completedSession(own);
  const token = own.fixture.careProviderToken;
  const again = await app.call('POST', `${SESSION}/${path['id']}/complete`, { token });
  expect([again.status, again.headers.get('cache-control')]).toEqual([409, 'max-age=1, no-cache, no-store']);
});

it('the entry of a 403 for a role that the token does not contain names the caller with a role that it contains', async () => {
  const start = await lastId();
  const { clinicToken: token, clinicId } = own.fixture;
  const headers = { 'acting-role': 'ADMIN' };
  expect((await app.call('GET', '/gateway/profile/clinic/book', { token, headers })).status).toBe(403);
  const caller = { actor_role: 'CLINIC', actor_id: clinicId, clinic_id: clinicId };
  expect(await entriesAfter(start)).toEqual([expect.objectContaining({ ...caller, outcome: '403' })]);
});

it('pending counts are written, and all entries are sealed, when the service stops', async () => {
  await aMinuteLater();
  await aMinuteLater();
  for (const _ of [1, 2, 3]) await app.call('GET', SESSION, from('203.0.113.7'));
  const start = await lastId();
  await app.nest.getHttpAdapter().getInstance().close();
  expect(await entriesAfter(start)).toEqual([expect.objectContaining({ outcome: '401', count: 2 })]);
  expect(await app.queryRows(sql`select from audit_unsealed`)).toEqual([]);
});
