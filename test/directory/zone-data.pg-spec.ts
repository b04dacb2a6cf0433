import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { signToken } from '../../src/auth/index.js';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';
import { TEST_JWT_SECRET, testEnvironment } from '../support/app/test-environment.js';
import { insertWinnipegClinic } from '../support/operations/winnipeg-clinic.js';
import { ServiceProcess } from '../support/process/service-process.js';
import { waitFor } from '../support/app/test-app.js';
import { nodeVariables } from '../support/process/node-variables.js';

/*
 * Tests processes with different time zone data on one database: release 2026a, and a later one in which Manitoba stays
 * at -05:00 from November 2026 on. With the later release, a winter Session in Winnipeg is an hour earlier. The texts are
 * encrypted. The instances have the keys, the command has none.
 */

const dataOf = (version: string) => ({ ICU_TIMEZONE_FILES_DIR: `test/fixtures/zone-data/${version}` });
/** The next year, so that its winter is in the future whenever this test is run. */
const YEAR = new Date().getUTCFullYear() + 1;
const SESSION = '/gateway/profile/caregiver/session';

const keyDirectory = mkdtempSync(join(tmpdir(), 'care-zone-data-'));
const KEYS = {
  ENCRYPTION_KEYS: `2026:${Buffer.alloc(32, 6).toString('base64')}`,
  ENCRYPTION_KEY_DIRECTORY: keyDirectory,
};

let database: TestDatabase;
let client: pg.Client;
let url: string;
let token: string;
let [old, newer]: ServiceProcess[] = [];
beforeAll(async () => {
  database = await createTestDatabase('postgresql');
  if (database.environment.kind !== 'postgresql') throw new Error('needs a server');
  url = database.environment.url;
  client = new pg.Client({ connectionString: database.environment.migrationUrl });
  await client.connect();
  await insertWinnipegClinic(client);
  token = await signToken(testEnvironment.token, { role: 'CARE_PROVIDER', id: 1 });
  old = await ServiceProcess.start({ DATABASE_URL: url, ...KEYS, ...dataOf('2026a') });
});
afterAll(async () => {
  await Promise.all([old, newer].flatMap((instance) => instance?.terminate('SIGKILL') ?? []));
  await client.end();
  await database.drop();
  rmSync(keyDirectory, { recursive: true });
});

const request = (instance: ServiceProcess, method: string, path: string, body?: object, headers = {}) =>
  fetch(`${instance.url}${path}`, {
    method,
    headers: { authorization: `bearer ${token}`, ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
const create = async (instance: ServiceProcess, date: string, headers = {}) => {
  const body = { clientId: 1, title: 'T', date, time: '10:00', reminders: ['-P1D'] };
  return (await request(instance, 'POST', SESSION, body, headers)).status;
};
/** Returns lines such as `1 16:00 1` (ID, start in UTC, version), and the due times of the reminders. */
const stored = async () => {
  const { rows } = await client.query<{ line: string }>(`
    select id || ' ' || to_char(starts_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI') || ' ' || version || ' ' || (
      select string_agg(distinct to_char(due_at at time zone 'UTC', 'MM-DD HH24:MI'), ' ') from reminder
      where clinic_id = session.clinic_id and session_id = session.id) as line
    from session order by id`);
  return rows.map(({ line }) => line);
};
const events = (instance: ServiceProcess) =>
  instance.logLines.flatMap((line) => /"event":"(zone-data\.[a-z]+)"/.exec(line)?.[1] ?? []);
const readinessOf = async (instance: ServiceProcess) => {
  const response = await fetch(`${instance.url}/health/ready`);
  return [response.status, JSON.stringify(await response.json())] as const;
};
/** Runs the command `tzdata` in the same way as `npm run`. */
const tzdata = (version: string, ...args: string[]) => {
  const variables = { DATABASE_URL: url, JWT_SECRET: TEST_JWT_SECRET, ...dataOf(version) };
  const env = { ...nodeVariables(), ...variables };
  return spawnSync(process.execPath, ['dist/src/cli/tzdata.js', ...args], { env, encoding: 'utf8' });
};

const OLD = [
  `1 ${YEAR}-12-01 16:00 1 11-30 16:00`,
  '2 2026-11-10 16:00 1 11-09 16:00',
  `3 ${YEAR}-12-01 17:00 2 11-30 17:00`,
];
const NEW = [`1 ${YEAR}-12-01 15:00 2 11-30 15:00`, OLD[1], OLD[2]];

it('a database that was created with older data', async () => {
  expect(await create(old!, `${YEAR}/12/01`)).toBe(201);
  expect(await create(old!, '2026/11/10')).toBe(201);
  expect(await create(old!, `${YEAR}/12/01`, { offset: '-420' })).toBe(201);
  const cancellation = { reason: 'ILLNESS', note: 'flu' };
  expect((await request(old!, 'POST', `${SESSION}/3/cancel`, cancellation)).status).toBe(200);
  expect(await stored()).toEqual(OLD);
  const [status, ready] = await readinessOf(old!);
  expect([status, ready]).toEqual([
    200,
    expect.stringContaining('"zoneData":{"version":"2026a","inUse":"2026a","status":"up"}'),
  ]);
});

it('a dry run of the command with newer data, before any instance has it', async () => {
  const { stdout, stderr, status } = tzdata('2026e', '--dry-run');
  expect([stderr, status]).toEqual(['', 0]);
  expect(stdout.split('\n').filter((line) => !line.startsWith('the database'))).toEqual([
    'this process: 2026e',
    `session 1 America/Winnipeg ${YEAR}-12-01T16:00:00.000Z -> ${YEAR}-12-01T15:00:00.000Z, 2 reminder(s)`,
    'America/Winnipeg: 1 Session(s), 2 reminder(s)',
    'dry run: 1 Session(s) and 2 reminder(s) would move, nothing was changed',
    '',
  ]);
  expect(stdout).toMatch(/^the database: 2026a, done .*: 0 Session\(s\) and 0 reminder\(s\) moved$/m);
  expect(await stored()).toEqual(OLD);
});

it('an instance with newer data recomputes upcoming Sessions; an older instance does not write, and both log it', async () => {
  newer = await ServiceProcess.start({ DATABASE_URL: url, ...KEYS, ...dataOf('2026e') });
  await waitFor(async () => (await stored())[0] === NEW[0]);
  expect(await stored()).toEqual(NEW);
  await waitFor(async () => (await readinessOf(old!))[0] === 503);
  expect((await readinessOf(old!))[1]).toContain(
    'zoneData (this instance works with time zone data 2026a, the database with 2026e)',
  );
  expect(await create(old!, `${YEAR}/12/02`)).toBe(503);
  expect((await request(old!, 'GET', SESSION)).status).toBe(200);
  expect(await create(newer, `${YEAR}/12/02`)).toBe(201);
  expect((await stored())[3]).toContain(` ${YEAR}-12-02 15:00 1 12-01 15:00`);
  await waitFor(() => events(newer!).includes('zone-data.mixed') && events(newer!).includes('zone-data.recomputed'));
  // The instance refuses writes a moment before it logs why.
  await waitFor(() => events(old!).at(-1) === 'zone-data.outdated');
  const metrics = await Promise.all([old!, newer].map(async ({ url }) => (await fetch(`${url}/metrics`)).text()));
  expect(metrics[0]).toContain('scheduling_zone_data_info{version="2026a"} 1');
  expect(metrics[0]).toMatch(/^scheduling_zone_data_outdated 1$/m);
  expect(metrics[1]).toContain('scheduling_zone_data_info{version="2026e"} 1');
  expect(metrics[1]).toMatch(/^scheduling_zone_data_outdated 0$/m);
});

it('leaves events: an entry of the audit trail, and an event in the history of each reminder', async () => {
  const { rows: entries } = await client.query(
    `select actor_role, operation, record_count from audit_entry where actor_role = 'SYSTEM'`,
  );
  expect(entries).toEqual([{ actor_role: 'SYSTEM', operation: 'system time zone data', record_count: 3 }]);
  const { rows: stories } = await client.query<{ story: object[] }>('select story from reminder where session_id = 1');
  const moved = { what: 'MOVED', from: `${YEAR}-11-30T16:00:00.000Z`, to: `${YEAR}-11-30T15:00:00.000Z` };
  expect(stories).toMatchObject([{ story: [moved] }, { story: [moved] }]);
});

it('returns to older data only on request', async () => {
  const refused = tzdata('2026a', '--apply');
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('older than the data in use (2026e)')]);
  await newer!.terminate('SIGTERM');
  const back = tzdata('2026a', '--apply', '--older');
  expect([back.stderr, back.status]).toEqual(['', 0]);
  expect((await stored())[0]).toBe(`1 ${YEAR}-12-01 16:00 3 11-30 16:00`);
  await waitFor(async () => (await readinessOf(old!))[0] === 200);
  expect(await (await request(old!, 'GET', `${SESSION}/1`)).json()).toMatchObject({ title: 'T' });
  const { rows } = await client.query(`select operation from audit_entry where operation like 'command%'`);
  expect(rows).toEqual([{ operation: 'command tzdata' }]);
});

it.each([
  ['/nowhere', "must be a directory with ICU's zoneinfo64.res, which is not there"],
  ['test/fixtures', "must be a directory with ICU's zoneinfo64.res, which is not there"],
])('does not start with data that is not there: %s', async (ICU_TIMEZONE_FILES_DIR, why) => {
  const instance = await ServiceProcess.launch({ DATABASE_URL: url, ICU_TIMEZONE_FILES_DIR });
  expect(await instance.waitForExit()).toBe(1);
  expect(instance.stderr).toBe(`Environment: ICU_TIMEZONE_FILES_DIR ${why}\n`);
});
