import { jest } from '@jest/globals';
import { MikroORM } from '@mikro-orm/core';
import { sql } from 'kysely';
import type pg from 'pg';
import { MAX_TRANSACTION_MS } from '../../src/shared/persistence/entity-manager/request-transaction.js';
import { connectAsOwner } from '../support/database/owner-connection.js';
import { waitFor, TestApp, type TestResponse, type ClinicFixture } from '../support/app/test-app.js';

/*
 * Tests that requests to a slow, full or locked database get a 503 within bounded time, and that the service recovers.
 */

const PLAN = '/gateway/profile/clinic/design-plan';

let app: TestApp;
let clinic: ClinicFixture;
let server: pg.Client;
beforeAll(async () => {
  app = await TestApp.start();
  clinic = await app.createClinic();
  server = await connectAsOwner(app.environment.database);
});
afterAll(async () => {
  await server.end();
  await app.stop();
});

const list = () => app.call('GET', PLAN, { token: clinic.clinicToken });
const create = (planName = 'A') => app.call('POST', PLAN, { token: clinic.clinicToken, body: { planName } });

function expectUnavailable(answer: TestResponse): void {
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
  expect(answer.body.type).toBe('urn:problem:service-unavailable');
}

/** Runs work and measures its duration in milliseconds. */
async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
  const start = performance.now();
  return [await work(), performance.now() - start];
}

/** Expects a 503 within bounded time. */
async function expectGivenUp(work: () => Promise<TestResponse>): Promise<void> {
  const [answer, took] = await timed(work);
  expectUnavailable(answer);
  expect(took).toBeLessThan(20_000);
}

it('sets timeouts for every connection of the service, and none for the owner', async () => {
  const { rows } = await server.query<{ name: string; setting: string }>(
    `select name, setting from pg_settings where name in ('statement_timeout', 'lock_timeout')`,
  );
  expect(rows.map(({ setting }) => setting)).toEqual(['0', '0']);
  const connection = app.nest.get(MikroORM).em.getConnection();
  const shown = async (name: string) => (await connection.execute<object[]>(`show ${name}`))[0];
  expect(await shown('statement_timeout')).toEqual({ statement_timeout: '15s' });
  expect(await shown('lock_timeout')).toEqual({ lock_timeout: '8s' });
  expect(await shown('idle_in_transaction_session_timeout')).toEqual({ idle_in_transaction_session_timeout: '30s' });
});

it('limits the wait for a locked row and for a connection', async () => {
  await server.query('begin; lock table design_plan');
  try {
    // Sends twice as many requests as there are connections, so half of them wait for the lock and half for a
    // connection.
    const [answers, took] = await timed(() => Promise.all(Array.from({ length: 20 }, list)));
    answers.forEach(expectUnavailable);
    expect(took).toBeLessThan(20_000);
  } finally {
    await server.query('rollback');
  }
  const [answer, took] = await timed(list);
  expect([answer.status, took < 5_000]).toEqual([200, true]);
});

it('limits the wait for a locked Client', async () => {
  const [clientId] = clinic.clientIds;
  const body = { clientId, title: 'T', date: '2100/03/01', time: '09:30' };
  const createSession = () =>
    app.call('POST', '/gateway/profile/caregiver/session', { token: clinic.careProviderToken, body });
  await server.query('begin');
  await server.query('select from client where id = $1 for update', [clientId]);
  try {
    await expectGivenUp(createSession);
  } finally {
    await server.query('rollback');
  }
  expect((await createSession()).status).toBe(201);
});

it('limits the duration of a statement', async () => {
  await server.query(`
    create function slow() returns trigger language plpgsql as $$ begin perform pg_sleep(60); return new; end $$;
    create trigger slow before insert on design_plan for each row execute function slow()`);
  try {
    await expectGivenUp(create);
  } finally {
    await server.query('drop function slow cascade');
  }
  expect((await create()).status).toBe(201);
});

it('reports a statement that fails in a dry run, although its transaction is rolled back anyway', async () => {
  const [clientId] = clinic.clientIds;
  const session = { clientId, title: 'T', date: '2100/04/01', time: '09:30', reminders: ['-P1D'] };
  const asCareProvider = (method: string, path: string, body: object) =>
    app.call(method, `/gateway/profile/caregiver/${path}`, { token: clinic.careProviderToken, body });
  const created = await asCareProvider('POST', 'session', session);
  const seriesId = new URL(created.headers.get('location')!, app.url).searchParams.get('seriesId')!;
  const shift = () => asCareProvider('POST', `series/${seriesId}/shift?dryRun=true`, { days: 1 });
  expect((await shift()).status).toBe(200);
  await server.query(`
    create function fail() returns trigger language plpgsql as $$
      begin raise exception 'out of memory' using errcode = '53200'; end $$;
    create trigger fail after update on reminder for each row execute function fail()`);
  try {
    expectUnavailable(await shift());
  } finally {
    await server.query('drop function fail cascade');
  }
});

it('rolls back a change whose transaction lasts longer than a synchronisation looks back', async () => {
  const waitingForLock = sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  const now = performance.now.bind(performance);
  await server.query('begin; lock table design_plan');
  const clock = jest.spyOn(performance, 'now');
  try {
    const creating = create('too late');
    await waitFor(async () => (await app.queryRows(waitingForLock)).length > 0);
    clock.mockImplementation(() => now() + MAX_TRANSACTION_MS);
    await server.query('rollback');
    const answer = await creating;
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    expect(answer.body.type).toBe('urn:problem:transaction-too-long');
  } finally {
    clock.mockRestore();
    await server.query('rollback');
  }
  const { rowCount } = await server.query('select from design_plan where plan_name = $1', ['too late']);
  expect(rowCount).toBe(0);
  expect((await create('too late')).status).toBe(201);
});

it.each([
  ['53100', 'could not extend file: No space left on device'],
  ['53200', 'out of memory'],
  ['58030', 'could not write block: input/output error'],
])('%s (%s) is answered with 503 without details, and stores nothing', async (code, message) => {
  await server.query(`
    create function fail() returns trigger language plpgsql as $$
      begin raise exception '${message}' using errcode = '${code}'; end $$;
    create trigger fail after insert on design_plan for each row execute function fail()`);
  try {
    const answer = await create(code);
    expectUnavailable(answer);
    expect(answer.text).not.toContain(message);
    expect((await list()).status).toBe(200);
  } finally {
    await server.query('drop function fail cascade');
  }
  const { rowCount } = await server.query('select from design_plan where plan_name = $1', [code]);
  expect(rowCount).toBe(0);
  expect((await create(code)).status).toBe(201);
});

it('is ready again at once after all connections were ended', async () => {
  const load = Promise.all(Array.from({ length: 40 }, list));
  await server.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`);
  for (const answer of await load) if (answer.status !== 200) expectUnavailable(answer);
  await waitFor(async () => (await app.call('GET', '/health/ready')).status === 200, 5_000);
  expect((await list()).status).toBe(200);
});
