import { jest } from '@jest/globals';
import { sql } from 'kysely';
import { NameSearch } from '../../src/directory/index.js';
import { CallerConcurrency } from '../../src/limits/index.js';
import { waitFor, TestApp, type ClinicFixture, type TestResponse } from '../support/app/test-app.js';

/* Tests that one caller cannot use up the connections of the pool, of which the service has ten. */

const CLINIC = '/gateway/profile/clinic';
const NDJSON = { 'content-type': 'application/x-ndjson' };

let app: TestApp;
let attacker: ClinicFixture;
let other: ClinicFixture;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());
beforeEach(async () => {
  attacker = await app.createClinic();
  other = await app.createClinic();
});

const toLines = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `{"externalId":"${name}-${index}","name":"Alex"}\n`).join('');
const startImport = (name: string, count = 20) =>
  app.call('POST', `${CLINIC}/client/import`, {
    ...{ token: attacker.clinicToken, raw: toLines(name, count), headers: NDJSON },
  });
/** Reads Books as the other Clinic, one after the other. */
async function readAsOther(): Promise<number[]> {
  const statuses: number[] = [];
  for (let count = 0; count < 20; count += 1)
    statuses.push((await app.call('GET', `${CLINIC}/book`, { token: other.clinicToken })).status);
  return statuses;
}
/** Counts statements that wait for a lock. */
async function countBlocked(): Promise<number> {
  const rows = await app.queryRows(sql<{ pid: number }>`
    select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
  return rows.length;
}
/** Runs work while one transaction holds a lock of a table. */
async function whileLocked(lock: string, work: () => Promise<void>): Promise<void> {
  await app.asSuperuser(async (em) => {
    await em.getConnection().execute(`lock table ${lock} mode`, [], 'run', em.getTransactionContext());
    await work();
  });
}
/** Runs work while no other transaction can change or lock rows of Clients. */
const whileClientsAreLocked = (work: () => Promise<void>) => whileLocked('client in exclusive', work);

it('answers another Clinic during twelve imports, of which two run and ten wait', async () => {
  let imports: Promise<number[]>;
  await whileClientsAreLocked(async () => {
    const calls = Array.from({ length: 12 }, (_, index) => startImport(`many-${index}`));
    imports = Promise.all(calls.map(async (call) => (await call).status));
    await waitFor(async () => (await countBlocked()) >= 2);
    expect(await readAsOther()).toEqual(Array(20).fill(200));
    expect(await countBlocked()).toBe(2);
    const refused = await startImport('refused');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
  });
  expect(await imports!).toEqual(Array(12).fill(200));
});

it('answers another Clinic while many changes of one Clinic wait for a lock', async () => {
  let changes: Promise<number[]>;
  await whileClientsAreLocked(async () => {
    const body = { name: 'Sam' };
    const change = () => app.call('POST', `${CLINIC}/client`, { token: attacker.clinicToken, body });
    changes = Promise.all(Array.from({ length: 30 }, async () => (await change()).status));
    await waitFor(async () => (await countBlocked()) === 8);
    expect(await readAsOther()).toEqual(Array(20).fill(200));
    expect(await countBlocked()).toBe(8);
  });
  expect(await changes!).toEqual(Array(30).fill(201));
});

it('stays ready while changes of several Clinics wait for a lock', async () => {
  let changes: Promise<number[]>;
  await whileClientsAreLocked(async () => {
    const change = (token: string) => app.call('POST', `${CLINIC}/client`, { token, body: { name: 'Sam' } });
    const tokens = [attacker, other].flatMap(({ clinicToken }) => Array<string>(8).fill(clinicToken));
    changes = Promise.all(tokens.map(async (token) => (await change(token)).status));
    await waitFor(async () => (await countBlocked()) === 9);
    expect((await app.call('GET', '/health/ready')).status).toBe(200);
    expect(await countBlocked()).toBe(9);
  });
  expect(await changes!).toEqual(Array(16).fill(201));
});

it('answers another Clinic while the pages of many exports of one Clinic wait for a lock', async () => {
  let exports: Promise<PromiseSettledResult<TestResponse>[]>;
  // The request of an export does not read this table. Its pages do.
  await whileLocked('reminder in access exclusive', async () => {
    const start = () =>
      app.call('GET', `${CLINIC}/client/${attacker.clientIds[0]}/export`, { token: attacker.clinicToken });
    // More than the pool has connections, of which 8 read a page and 4 wait. Those break off if they wait for 5 s.
    exports = Promise.allSettled(Array.from({ length: 12 }, start));
    await waitFor(async () => (await countBlocked()) === 8);
    expect(await readAsOther()).toEqual(Array(20).fill(200));
    expect(await countBlocked()).toBe(8);
  });
  const answers = (await exports!).flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const complete = answers.filter(({ status }) => status !== 503);
  expect(complete.length).toBeGreaterThanOrEqual(8);
  const expected = { client: { id: attacker.clientIds[0] }, isComplete: true };
  for (const { status, body } of complete) expect([status, body]).toMatchObject([200, expected]);
});

it('counts each page of an export of the audit trail as a request', async () => {
  const body = { name: 'Sam' };
  for (let count = 0; count < 101; count += 1)
    await app.call('POST', `${CLINIC}/client`, { token: attacker.clinicToken, body });
  const run = jest.spyOn(app.nest.get(CallerConcurrency), 'run');
  try {
    const { text } = await app.call('GET', `${CLINIC}/audit/export`, { token: attacker.clinicToken });
    expect(text.trimEnd().split('\n').length).toBeGreaterThan(100);
    expect(run).toHaveBeenCalledTimes(1 + 2);
  } finally {
    run.mockRestore();
  }
});

it('refuses requests of a caller that have waited for 5 s', async () => {
  await whileClientsAreLocked(async () => {
    const body = { name: 'Sam' };
    const change = () => app.call('POST', `${CLINIC}/client`, { token: attacker.clinicToken, body });
    const refused: number[] = [];
    for (let count = 0; count < 10; count += 1)
      void change().then(({ status }) => status === 503 && refused.push(status));
    await waitFor(() => refused.length === 2);
    expect(await countBlocked()).toBe(8);
  });
});

it('an import whose client has closed the connection ends after its chunk, and stores nothing', async () => {
  const controller = new AbortController();
  await whileClientsAreLocked(async () => {
    const headers = { ...NDJSON, authorization: `bearer ${attacker.clinicToken}` };
    const { signal } = controller;
    const body = toLines('abandoned', 1_200);
    const call = fetch(new URL(`${CLINIC}/client/import`, app.url), { method: 'POST', headers, body, signal });
    await waitFor(async () => (await countBlocked()) === 1);
    controller.abort();
    await expect(call).rejects.toThrow('aborted');
  });
  await waitFor(async () => {
    const open = await app.queryRows(sql`
      select from pg_stat_activity where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()`);
    return open.length === 0;
  });
  const rows = await app.queryRows(sql`select from client where clinic_id = ${attacker.clinicId}`);
  expect(rows).toHaveLength(3);
});

it('runs two searches of a Clinic without a cache at the same time, and refuses others', async () => {
  const names = app.nest.get(NameSearch);
  const { maxNames } = names;
  const search = () => app.call('GET', `${CLINIC}/client?sort=name`, { token: attacker.clinicToken });
  names.maxNames = 2;
  await search();
  let endScans!: () => void;
  const end = new Promise<void>((resolve) => (endScans = resolve));
  const prototype = NameSearch.prototype as unknown as { scan: (...values: unknown[]) => Promise<void> };
  const { scan } = prototype;
  const spy = jest.spyOn(prototype, 'scan').mockImplementation(async function (this: unknown, ...values) {
    await end;
    return scan.apply(this, values);
  });
  try {
    const refused: (string | null)[] = [];
    const answers = Array.from({ length: 6 }, async () => {
      const { status, headers } = await search();
      if (status === 503) refused.push(headers.get('retry-after'));
      return status;
    });
    await waitFor(() => refused.length === 4);
    expect(await readAsOther()).toEqual(Array(20).fill(200));
    endScans();
    expect([(await Promise.all(answers)).toSorted(), refused]).toEqual([
      [200, 200, 503, 503, 503, 503],
      ['5', '5', '5', '5'],
    ]);
  } finally {
    names.maxNames = maxNames;
    spy.mockRestore();
  }
});
