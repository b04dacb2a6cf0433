import {
  createClient,
  isProblem,
  synchronise,
  TimeoutError,
  type CareSchedulingClient,
  type ClientOptions,
  type SyncInput,
} from '../../src/client/index.js';
import { sql } from 'kysely';
import { TestApp, type ClinicFixture } from '../support/app/test-app.js';
import { FaultyProxy } from '../support/http/faulty-proxy.js';

/*
 * Tests the typed client against the running service: retries, errors, lists and versions, with simulated network
 * faults.
 */

let app: TestApp;
let proxy: FaultyProxy;
let clinic: ClinicFixture;
let careProvider: CareSchedulingClient['careProvider'];

beforeAll(async () => {
  app = await TestApp.start();
  proxy = await FaultyProxy.start(app.url);
});
afterAll(async () => {
  await proxy.stop();
  await app.stop();
});
beforeEach(async () => {
  proxy.reset();
  clinic = await app.createClinic();
  careProvider = connect().careProvider;
});

const connect = (options: Partial<ClientOptions> = {}) =>
  createClient({
    ...{ baseUrl: proxy.url, token: clinic.careProviderToken },
    ...{ retry: { firstDelay: 1, maxDelay: 5 }, ...options },
  });
const sessions = (count = 1) => ({
  body: { clientId: clinic.clientIds[0], title: 'T', date: '2027/03/22', time: '09:30', sessionCount: count },
});
const readFirst = async () => (await careProvider.listSessions()).items[0]!;
const keys = () => proxy.requests.map(({ headers }) => headers['idempotency-key']);
const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );
const countSessions = async () => {
  const [row] = await app.queryRows(
    sql<{ count: string }>`select count(*) as count from session where clinic_id = ${clinic.clinicId}`,
  );
  return Number(row!.count);
};

describe('a write', () => {
  it('is executed once, wherever the connection is cut', async () => {
    proxy.reset('cut before', 'cut after', 'cut within');
    const created = await careProvider.createSessions(sessions(2)).withResponse();
    expect(created).toMatchObject({ status: 201, attempts: 4, isReplayed: true });
    expect(created.data.message).toMatch(/^2 Sessions were created/);
    expect(created.location).toMatch(/seriesId=/);
    expect(new Set(keys()).size).toBe(1);
    expect(await countSessions()).toBe(2);
    await careProvider.createSessions(sessions());
    expect(new Set(keys()).size).toBe(2);
    expect(await countSessions()).toBe(3);
  });

  it('waits for an attempt that is still in progress', async () => {
    proxy.reset({ status: 409, body: JSON.stringify({ type: 'urn:problem:request-in-flight', status: 409 }) });
    expect(await careProvider.createSessions(sessions()).withResponse()).toMatchObject({ attempts: 2 });
  });

  it('without a key is retried only if it was not executed', async () => {
    await careProvider.createSessions(sessions());
    const session = await readFirst();
    const change = (time: string) => careProvider.changeSession({ id: session.id, ifMatch: session, body: { time } });
    for (const fault of ['cut before', { status: 503 }] as const) {
      proxy.reset(fault);
      expect(await failureOf(change('10:00'))).toMatchObject({ attempts: 1 });
      expect(proxy.requests).toHaveLength(1);
    }
    proxy.reset({ status: 429, headers: { 'retry-after': '0' } });
    expect((await change('10:00').withResponse()).attempts).toBe(2);
  });
});

describe('a retry', () => {
  it('waits as long as Retry-After says, in seconds or as a date', async () => {
    const inOneSecond = { date: 'Mon, 01 Mar 2027 09:00:00 GMT', 'retry-after': 'Mon, 01 Mar 2027 09:00:01 GMT' };
    const waits = [{ 'retry-after': '1' }, inOneSecond].map(async (headers) => {
      const own = await FaultyProxy.start(app.url);
      own.reset({ status: 503, headers });
      const start = performance.now();
      await connect({ baseUrl: own.url }).careProvider.listSessions();
      const milliseconds = performance.now() - start;
      await own.stop();
      return milliseconds;
    });
    for (const milliseconds of await Promise.all(waits)) expect(milliseconds).toBeGreaterThan(990);
  });

  it('is made a limited number of times, and not if it would come too late', async () => {
    const unavailable = { status: 503, body: 'no upstream' };
    proxy.reset(...Array.from({ length: 9 }, () => unavailable));
    const error = await failureOf(careProvider.listSessions());
    expect(error).toMatchObject({ name: 'ProblemError', type: 'about:blank', status: 503, attempts: 5 });
    expect(proxy.requests).toHaveLength(5);
    proxy.reset({ ...unavailable, headers: { 'retry-after': '3600' } });
    expect(await failureOf(careProvider.listSessions())).toMatchObject({ attempts: 1 });
    proxy.reset('cut before', 'cut before');
    expect(await failureOf(careProvider.listSessions({}, { retry: { limit: 1 } }))).toMatchObject({
      ...{ name: 'ConnectionError', attempts: 2 },
    });
  });

  it('is made after a timeout', async () => {
    proxy.reset('hang');
    expect(await careProvider.listSessions({}, { timeout: 500 }).withResponse()).toMatchObject({ attempts: 2 });
    proxy.reset('hang');
    expect(await failureOf(careProvider.listSessions({}, { timeout: 50, retry: { limit: 0 } }))).toBeInstanceOf(
      TimeoutError,
    );
  });

  it('ends when the caller aborts, during an attempt or a wait', async () => {
    for (const fault of ['hang', { status: 503, headers: { 'retry-after': '30' } }] as const) {
      proxy.reset(fault);
      const controller = new AbortController();
      const call = careProvider.listSessions({}, { signal: controller.signal });
      setTimeout(() => controller.abort(new Error('enough')), 100);
      await expect(call).rejects.toThrow('enough');
      expect(proxy.requests).toHaveLength(1);
    }
    await expect(careProvider.listSessions({}, { signal: AbortSignal.abort(new Error('before')) })).rejects.toThrow(
      'before',
    );
  });
});

describe('a token', () => {
  it('is renewed once for all calls that were refused', async () => {
    const tokens = ['expired', clinic.careProviderToken];
    let fetched = 0;
    const own = connect({ token: async () => tokens[fetched++]! });
    await Promise.all([
      own.careProvider.listSessions(),
      own.careProvider.listSessions(),
      own.careProvider.createSessions(sessions()),
    ]);
    expect(fetched).toBe(2);
    expect(await countSessions()).toBe(1);
  });

  it('that is refused twice causes an error, as does one that cannot be renewed', async () => {
    const refused = { name: 'ProblemError', status: 401, type: 'urn:problem:unauthenticated' };
    expect(await failureOf(connect({ token: () => Promise.resolve('bad') }).careProvider.listSessions())).toMatchObject(
      refused,
    );
    expect(proxy.requests).toHaveLength(2);
    expect(await failureOf(connect({ token: 'bad' }).careProvider.listSessions())).toMatchObject(refused);
    expect(proxy.requests).toHaveLength(3);
  });

  it('is requested again after its function has failed', async () => {
    const answers = [() => Promise.reject(new Error('offline')), () => Promise.resolve(clinic.careProviderToken)];
    const own = connect({ token: () => answers.shift()!() });
    await expect(own.careProvider.listSessions()).rejects.toThrow('offline');
    expect((await own.careProvider.listSessions()).items).toEqual([]);
  });
});

describe('an error', () => {
  it('has the code, the invalid fields and the id of the request', async () => {
    const error = await failureOf(careProvider.createSessions({ body: { ...sessions().body, bookIdList: [999_999] } }));
    expect(error).toMatchObject({
      ...{ name: 'ProblemError', type: 'urn:problem:unprocessable', status: 422, attempts: 1 },
      errors: [{ pointer: '/bookIdList/0', detail: expect.any(String) }],
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect([isProblem(error), isProblem(error, 'unprocessable'), isProblem(error, 'conflict')]).toEqual([
      ...[true, true, false],
    ]);
  });

  it('lists the overlaps of a Session', async () => {
    await careProvider.createSessions(sessions());
    const error = await failureOf(careProvider.createSessions({ ...sessions(), conflicts: 'reject' }));
    if (!isProblem(error) || error.type !== 'urn:problem:schedule-conflict') throw new Error('Another error.');
    expect([error.conflictCount, error.conflicts[0]!.otherSessionId]).toEqual([1, (await readFirst()).id]);
  });
});

describe('a list', () => {
  it('returns the items of all pages, even if a page has to be requested again', async () => {
    await careProvider.createSessions(sessions(5));
    proxy.reset({ status: 503 }, 'cut within');
    const positions: number[] = [];
    for await (const session of careProvider.listSessions({ limit: 2 })) positions.push(session.position);
    expect(positions).toEqual([1, 2, 3, 4, 5]);
    expect(proxy.requests).toHaveLength(5);
    const sizes: number[] = [];
    for await (const { items } of careProvider.listSessions({ limit: 2 }).pages()) sizes.push(items.length);
    expect(sizes).toEqual([2, 2, 1]);
  });

  it('returns the entries of all parts of the export of the audit trail', async () => {
    const { clinicId, clinicToken } = clinic;
    const own = connect({ token: clinicToken }).clinic;
    await app.queryRows(sql`
      insert into audit_entry (clinic_id, at, actor_role, access, operation, records, record_count, request_id, address,
        outcome, count)
      select ${clinicId}, timestamptz '2026-01-01Z' + n * interval '1 second', 'CLINIC', 'READ', 'GET /', '{}', 0,
        lpad(n::text, 32, '0')::uuid, '', 'OK', 1
      from generate_series(1, 20003) n`);
    proxy.reset({ status: 503 });
    const sizes: number[] = [];
    for await (const part of own.exportAuditEntries({ to: '2026-06-01T00:00:00Z' }).pages()) sizes.push(part.length);
    expect(sizes).toEqual([10_000, 10_000, 3]);
    let expected = 10_001;
    const from = '2026-01-01T02:46:41Z';
    for await (const { requestId } of own.exportAuditEntries({ from, to: '2026-06-01T00:00:00Z' }))
      expect(Number(requestId.replaceAll('-', ''))).toBe(expected++);
    expect(expected).toBe(20_004);
    const first = await own.exportAuditEntries({ from, outcome: 'DENIED' });
    expect(first).toEqual([]);
  });

  it('returns the changes since a sync token, or the whole list if the token is too old', async () => {
    await careProvider.createSessions(sessions(3));
    const follow = async (token?: string) => {
      const seen: unknown[] = [];
      let next = '';
      const list = (sync: SyncInput) => careProvider.listSessions({ limit: 2, status: 'SCHEDULED', ...sync });
      for await (const { page, isStart, syncToken } of synchronise(list, token)) {
        seen.push([isStart, page.items.length, page.deleted?.length]);
        next = syncToken ?? next;
      }
      return { seen, next };
    };
    app.clock.advance({ minutes: 10 });
    const first = await follow();
    expect(first.seen).toEqual([
      [true, 2, 0],
      [false, 1, 0],
    ]);
    app.clock.advance({ minutes: 10 });
    await careProvider.cancelSession({ id: (await readFirst()).id, body: { reason: 'ILLNESS' } });
    expect((await follow(first.next)).seen).toEqual([[false, 0, 1]]);
    app.clock.advance({ hours: 31 * 24 });
    expect((await follow(first.next)).seen).toEqual([[true, 2, 0]]);
    app.clock.advance({ hours: -31 * 24 });
  });

  it('requests no page that is not used, and rejects the loop if a page fails', async () => {
    await careProvider.createSessions(sessions(3));
    proxy.reset();
    for await (const session of careProvider.listSessions({ limit: 1 })) if (session.position === 2) break;
    expect(proxy.requests).toHaveLength(2);
    const seen: number[] = [];
    const loop = async () => {
      for await (const session of careProvider.listSessions({ limit: 1, cursor: 'wrong' })) seen.push(session.id);
    };
    expect(await failureOf(loop())).toMatchObject({ status: 400, errors: [{ pointer: '/cursor' }] });
    expect(seen).toEqual([]);
  });
});

describe('a version', () => {
  it('is taken from the record that was read', async () => {
    await careProvider.createSessions(sessions());
    const session = await readFirst();
    const change = (ifMatch: object | string | number, time: string) =>
      careProvider.changeSession({ id: session.id, ifMatch, body: { time } });
    await change(session, '10:00');
    expect(isProblem(await failureOf(change(session, '11:00')), 'precondition-failed')).toBe(true);
    const read = await careProvider.getSession({ id: session.id }).withResponse();
    expect(read.etag).toBe(`"${read.data.version}"`);
    await change({ ...read.data }, '12:00');
    await change((await readFirst()).version, '13:00');
    await change(await careProvider.getSession({ id: session.id }), '14:00');
    expect((await readFirst()).time).toBe('14:00');
    await expect(change({}, '15:00')).rejects.toThrow('The record has no version');
  });

  it('is the ETag of a record without a version', async () => {
    const own = connect({ token: clinic.clinicToken });
    const { id, location } = await own.clinic.createDesignPlan({ body: { planName: 'P' } });
    expect(location).toBe(`/design-plan/${id}`);
    const whole = await own.clinic.createDesignPlan({ prefer: 'return=representation', body: { planName: 'Whole' } });
    expect(whole.planName).toBe('Whole');
    const plan = await own.clinic.getDesignPlan({ id });
    const replaced = await own.clinic.replaceDesignPlan({ id, ifMatch: plan, body: { planName: 'Q' } });
    expect(replaced.planName).toBe('Q');
    expect((await own.clinic.replaceDesignPlan({ id, ifMatch: replaced, body: { planName: 'R' } })).planName).toBe('R');
    const again = await own.clinic.getDesignPlan({ id });
    const renamed = await own.clinic.replaceDesignPlan({ id, ifMatch: again, body: { ...again, planName: 'S' } });
    expect(renamed).toMatchObject({ planName: 'S', revision: again.revision + 1 });
  });
});

it('handles NDJSON, text, and responses without a body', async () => {
  const own = connect({ token: clinic.clinicToken });
  const imported = await own.clinic.importClients({
    body: [
      { externalId: 'a', name: 'A' },
      { externalId: 'b', name: 'B' },
    ],
  });
  expect(imported).toMatchObject([{ status: 'created' }, { status: 'created' }]);
  await careProvider.createSessions(sessions());
  const { data, etag } = await careProvider.getSessionCalendar({ id: (await readFirst()).id }).withResponse();
  expect(data).toMatch(/^BEGIN:VCALENDAR/);
  expect(await careProvider.getSessionCalendar({ id: (await readFirst()).id, ifNoneMatch: etag! })).toBeUndefined();
  const { status, data: nothing } = await own.clinic.deactivateBook({ id: clinic.ownBookId }).withResponse();
  expect([status, nothing]).toEqual([204, undefined]);
});
