import pg from 'pg';
import { signToken } from '../../src/auth/index.js';
import { runCommandInProcess } from '../support/process/cli-command.js';
import type { ServiceProcess } from '../support/process/service-process.js';
import { ServiceFleet } from '../support/process/service-fleet.js';
import {
  createMigratedDatabase,
  startPostgresqlServer,
  type PostgresqlServer,
} from '../support/database/postgresql.setup.js';
import { TEST_JWT_SECRET, testEnvironment, waitFor } from '../support/app/test-app.js';
import { insertParticipants } from '../support/process/retrying-writer.js';

/*
 * Tests the failover to a replica after the primary was killed. Then tests a server that is read-only, is damaged or
 * has lost its database.
 */

const PLAN = '/gateway/profile/clinic/design-plan';
/** Maximum time from the promotion of the replica to the first successful write, in milliseconds. */
const WRITES_AGAIN_MS = 5_000;

let primary: PostgresqlServer;
let replica: PostgresqlServer;
let server: pg.Client;
let fleet: ServiceFleet;
let instance: ServiceProcess;
let token: string;
let address: string;
beforeAll(async () => {
  primary = await startPostgresqlServer(['fsync=off']);
  const owner = new pg.Client({ connectionString: await createMigratedDatabase(primary.url, 'care') });
  await owner.connect();
  await insertParticipants(owner, 1);
  await owner.end();
  replica = await primary.createReplica();
  server = new pg.Client({ connectionString: Object.assign(new URL(replica.url), { pathname: '/care' }).href });
  server.on('error', () => undefined);
  await server.connect();
  address = `${new URL(replica.url).host},${new URL(primary.url).host}/care?target_session_attrs=read-write`;
  fleet = new ServiceFleet({ DATABASE_URL: `postgres://scheduling_app:scheduling_app@${address}` });
  token = await signToken(testEnvironment.token, { role: 'CLINIC', id: 1 });
  instance = await fleet.add();
  // The set-up starts two servers and an instance, which takes long on a busy machine.
});
afterAll(async () => {
  await server.end();
  await fleet.stop();
  await replica.stop();
  await primary.stop();
});

type Answer = { status: number; retryAfter: string | null; at: number };

async function create(): Promise<Answer> {
  const response = await fetch(`${instance.url}${PLAN}`, {
    method: 'POST',
    headers: { authorization: `bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ planName: 'A' }),
  });
  await response.arrayBuffer();
  return { status: response.status, retryAfter: response.headers.get('retry-after'), at: performance.now() };
}

const readiness = async () => (await fetch(`${instance.url}/health/ready`)).status;

const UNAVAILABLE = { status: 503, retryAfter: '5' };

it('writes again soon after the promotion of a replica, and all responses are 201 or 503', async () => {
  const answers: Promise<Answer>[] = [];
  const coming = setInterval(() => answers.push(create()), 50);
  const written = async (since: number) =>
    (await Promise.all(answers)).some(({ status, at }) => status === 201 && at > since);
  try {
    await waitFor(() => written(0));
    await primary.kill();
    const killed = answers.length;
    await waitFor(() => answers.length > killed + 10);
    await server.query('select pg_promote()');
    const promoted = performance.now();
    await waitFor(() => written(promoted));
    clearInterval(coming);
    const all = await Promise.all(answers);
    const again = all.find(({ status, at }) => status === 201 && at > promoted)!.at - promoted;
    const refused = all.filter(({ status }) => status !== 201);
    process.stdout.write(
      `failover: ${all.length} writes, ${refused.length} of them 503, written again ${Math.round(again)} ms after the promotion\n`,
    );
    for (const answer of refused) expect(answer).toMatchObject(UNAVAILABLE);
    expect(refused.length).toBeGreaterThan(0);
    expect(again).toBeLessThan(WRITES_AGAIN_MS);
  } finally {
    clearInterval(coming);
  }
  await waitFor(async () => (await readiness()) === 200);
});

it('connects commands to the server that accepts writes', async () => {
  const DATABASE_URL = `postgres://postgres:postgres@${address}`;
  const run = async (command: string) =>
    (await runCommandInProcess(command, [], { DATABASE_URL, JWT_SECRET: TEST_JWT_SECRET })).stdout;
  expect(await run('migrate')).toBe(`database ${address.split('?')[0]}\n0 migration(s) done\n`);
  expect(await run('audit-verify')).toMatch(/^OK: /m);
});

const connections = async () => {
  const { rows } = await server.query<{ pid: number }>(
    `select pid from pg_stat_activity where usename = 'scheduling_app' and application_name <> 'reminder-queue'`,
  );
  return rows.map(({ pid }) => pid);
};

async function setReadOnly(setting: 'on' | 'off'): Promise<void> {
  await server.query('set default_transaction_read_only = off');
  await server.query(`alter system set default_transaction_read_only = ${setting}`);
  await server.query('select pg_reload_conf()');
}

it('is not ready while the server is read-only, and closes its connections to it', async () => {
  await Promise.all(Array.from({ length: 5 }, create));
  const before = await connections();
  await setReadOnly('on');
  await waitFor(async () => (await readiness()) === 503);
  for (let call = 0; call < 15; call += 1) expect(await create()).toMatchObject(UNAVAILABLE);
  expect((await connections()).filter((pid) => before.includes(pid))).toEqual([]);
  await setReadOnly('off');
  await waitFor(async () => (await create()).status === 201, WRITES_AGAIN_MS);
  expect(await readiness()).toBe(200);
});

it('is not ready while a table is missing', async () => {
  await server.query('alter table design_plan rename to gone');
  expect(await create()).toMatchObject(UNAVAILABLE);
  expect(await readiness()).toBe(503);
  await server.query('alter table gone rename to design_plan');
  expect((await create()).status).toBe(201);
  expect(await readiness()).toBe(200);
});

it.each(['XX001', 'XX002'])('stays not ready after a query has met a damaged page (%s)', async (code) => {
  await instance.terminate('SIGKILL');
  instance = await fleet.add();
  await server.query(`
    create function fail() returns trigger language plpgsql as $$
      begin raise exception 'invalid page in block 0 of relation base/5/16384' using errcode = '${code}'; end $$;
    create trigger fail after insert on design_plan for each row execute function fail()`);
  expect(await create()).toMatchObject(UNAVAILABLE);
  await server.query('drop function fail cascade');
  expect((await create()).status).toBe(201);
  expect(await readiness()).toBe(503);
  // The log line comes through a pipe and may arrive after the response.
  const lines = () => instance.logLines.filter((line) => line.includes('damaged'));
  await waitFor(() => lines().length > 0);
  expect(lines()).toHaveLength(1);
  // Stack traces of the bundle show the TypeScript files.
  expect(instance.logLines.find((line) => line.includes('"frames"'))).toMatch(
    /src\/design-plan\/design-plan\.service\.ts:\d/,
  );
});

it('answers 503 if the database no longer exists', async () => {
  await server.end();
  const other = new pg.Client({ connectionString: replica.url });
  await other.connect();
  await other.query('drop database care with (force)');
  await other.end();
  for (let call = 0; call < 3; call += 1) expect(await create()).toMatchObject(UNAVAILABLE);
  expect(await readiness()).toBe(503);
});
