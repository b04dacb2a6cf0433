import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import pg from 'pg';
import { LogChannel, ReminderDispatcher, ReminderSweeper, type ReminderMessage } from '../../src/reminder/index.js';
import { Scheduler } from '../../src/scheduler/index.js';
import { TestApp, TEST_JWT_SECRET, waitFor, type ClinicFixture, type TestResponse } from '../support/app/test-app.js';
import { distributeDatabase, type CitusCluster, type CitusNode } from '../support/database/citus.js';
import { createClinicOnEachWorker, startMigratedCluster, toTestDatabase } from '../support/database/own-cluster.js';
import { queryRows } from '../support/database/query-rows.js';
import { describeSchema } from '../support/database/schema-catalog.js';
import { runCommandInProcess } from '../support/process/cli-command.js';

/* A cluster of its own, whose servers can be stopped: a coordinator and two workers. */

const SESSIONS = '/gateway/profile/caregiver/session';
/** The number of IDs in the range of an installation. */
const ID_RANGE = 2 ** 40;

let cluster: CitusCluster;
let url: string;
let schema: string[];
let app: TestApp;
beforeAll(async () => {
  ({ cluster, url } = await startMigratedCluster());
  schema = await schemaOf(url);
});
afterAll(async () => {
  try {
    await app.nest.close();
  } finally {
    // Without an app, an earlier test has failed. Its servers must not stay.
    cluster.stop();
  }
});

/** Constraints are listed as valid: Citus checks the rows when it copies them. */
async function schemaOf(address: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  try {
    return (await describeSchema(client)).map((line) => line.replace(/ NOT VALID f$/, ' t'));
  } finally {
    await client.end();
  }
}

const run = (command: string, address: string, ...words: string[]) =>
  runCommandInProcess(command, words, { DATABASE_URL: address, JWT_SECRET: TEST_JWT_SECRET });

it('is not distributed if a Clinic has moved, because its servers would not keep the Clinic closed', async () => {
  await queryRows(
    url,
    `insert into clinic (id, name, time_zone, active, created_at)
    values (999, 'Moved', 'UTC', true, now())`,
  );
  await queryRows(
    url,
    `insert into clinic_move (clinic_id, direction, move_id, secret, started_at)
      values (999, 'OUT', gen_random_uuid(), 'secret', now())`,
  );
  expect(await run('distribute', url)).toEqual({
    status: 1,
    stdout: `database ${new URL(url).host}${new URL(url).pathname}\n`,
    stderr: 'The database cannot be distributed, because Clinics have moved to or from another installation: 999.\n',
  });
  expect(await schemaOf(url)).toEqual(schema);
  await queryRows(url, 'delete from clinic_move');
  await queryRows(url, 'delete from clinic where id = 999');
});

/** The next IDs of Sessions and Clinics, which are distributed, and copied to each server. */
async function nextIds(): Promise<number[]> {
  const rows = await queryRows<{ id: string }>(
    url,
    `select nextval(pg_get_serial_sequence(name, 'id')) as id from unnest(array['session', 'clinic']) as name`,
  );
  return rows.map(({ id }) => Number(id));
}

/** The bytes of the tables that are on the coordinator itself, which Citus does not count. */
async function localBytes(...tables: string[]): Promise<number[]> {
  const names = tables.map((name) => `'${name}'`).join(', ');
  const rows = await queryRows<{ bytes: string }>(
    url,
    `select pg_relation_size(name::regclass) as bytes from unnest(array[${names}]) as name`,
  );
  return rows.map(({ bytes }) => Number(bytes));
}

it('is distributed in steps, continues after an interruption, and returns to the same schema', async () => {
  expect(await run('id-range', url, '--number', '3')).toMatchObject({ status: 0 });
  const used = [await nextIds()];
  expect(used[0]).toEqual([3 * ID_RANGE, 3 * ID_RANGE]);
  expect(distributeDatabase(url, '--dry-run')).toContain('nothing was changed');
  expect(await schemaOf(url)).toEqual(schema);
  await queryRows(
    url,
    `insert into clinic (id, name, time_zone, active, created_at) values (999, 'C', 'UTC', true, now());
    insert into client (clinic_id, name, active, created_at) values (999, 'Kept nowhere else', true, now())`,
  );
  distributeDatabase(url);
  expect(distributeDatabase(url)).toMatch(/^database \S+\n0 step\(s\) done\n$/);
  expect(await queryRows(url, 'select name from client')).toEqual([{ name: 'Kept nowhere else' }]);
  expect(await localBytes('client', 'clinic')).toEqual([0, 0]);
  used.push(await nextIds());
  expect(await run('id-range', url)).toMatchObject({ status: 0, stdout: expect.stringContaining('range 3:') });
  expect(await run('id-range', url, '--number', '4')).toEqual({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(/^The range of a distributed database cannot be set: run .*\.\n$/),
  });
  distributeDatabase(url, '--undo');
  expect(await schemaOf(url)).toEqual(schema);
  used.push(await nextIds());
  distributeDatabase(url);
  used.push(await nextIds());
  // No ID is assigned twice.
  for (const ids of [used.map(([session]) => session!), used.map(([, clinic]) => clinic!)])
    expect(ids).toEqual([...new Set(ids)].toSorted((one, other) => one - other));
});

it('is not migrated, neither up nor down', async () => {
  const [newest] = await queryRows<{ name: string }>(
    url,
    `delete from schema_migration where id = (select max(id) from schema_migration) returning name`,
  );
  const refused = {
    status: 1,
    stdout: expect.stringMatching(/^database .+\n$/),
    stderr: expect.stringMatching(
      /^The database is distributed: run "npm run distribute -- --undo" with the release that has/,
    ),
  };
  expect(await run('migrate', url)).toEqual(refused);
  expect(await run('distribute', url, '--undo')).toEqual(refused);
  await queryRows(url, `insert into schema_migration (name) values ('${newest!.name}')`);
  expect(await run('migrate', url, 'down')).toEqual(refused);
  expect(await run('migrate', url)).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/\n0 migration\(s\) done\n$/),
  });
});

it('finds a worker that was started again at the first check', async () => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const findUnreachable = async () => {
    const { rows } = await client.query<{ server: string }>(
      'select server from check_clinic_servers() where not answers',
    );
    return rows.map(({ server }) => server);
  };
  const worker = cluster.nodes[1]!;
  try {
    expect(await findUnreachable()).toEqual([]);
    worker.kill();
    expect(await findUnreachable()).toEqual([new URL(worker.url).host]);
    worker.start();
    expect(await findUnreachable()).toEqual([]);
    worker.kill();
    worker.start();
    expect(await findUnreachable()).toEqual([]);
  } finally {
    await client.end();
  }
});

/** A connection between the servers that was open before one of them was started again fails once. */
async function createClinic(): Promise<ClinicFixture> {
  let clinic: ClinicFixture | undefined;
  await waitFor(async () => (clinic = await app.createClinic().catch(() => undefined)) !== undefined);
  return clinic!;
}

const createSession = ({ clientIds, careProviderToken: token }: ClinicFixture) =>
  app.call('POST', SESSIONS, {
    token,
    body: { clientId: clientIds[0], title: 'Talk', date: '2030/01/01', time: '09:00', remindDays: 0 },
  });

async function openAccess({ clinicId }: ClinicFixture): Promise<TestResponse> {
  const exp = Math.floor(Date.now() / 1000) + 3_600;
  const token = await new SignJWT({ sub: 'support-1', role: 'ADMIN', exp })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(Buffer.from(TEST_JWT_SECRET));
  return app.call('POST', '/gateway/admin/administrator-access', {
    token,
    body: { clinicId, reason: 'Support ticket 4711' },
  });
}

const deliveredTo = ({ clinicId }: ClinicFixture) =>
  app.deliveredMessages.filter((message) => message.clinicId === clinicId).length;

describe('a worker that is down', () => {
  beforeAll(async () => {
    app = await TestApp.startOn(toTestDatabase(url));
    await app.nest.get(Scheduler).stop();
  });

  // Citus takes some locks on the first worker only, so each of the two must be down once.
  it.each([1, 2])('stops only its own Clinics, and loses and repeats nothing: worker %i', async (index) => {
    const down = cluster.nodes[index]!;
    const { host: server } = new URL(down.url);
    const clinics = [...(await createClinicOnEachWorker(url, createClinic))];
    expect(clinics).toHaveLength(2);
    const stops = clinics.find(([each]) => each === server)![1];
    const stays = clinics.find(([each]) => each !== server)![1];
    for (const [, clinic] of clinics) expect((await createSession(clinic)).status).toBe(201);
    await app.nest.get(ReminderDispatcher).dispatchDue();
    await waitFor(() => Promise.resolve(deliveredTo(stays) === 2 && deliveredTo(stops) === 2));

    for (const [, clinic] of clinics) expect((await createSession(clinic)).status).toBe(201);
    down.kill();
    expect((await createSession(stays)).status).toBe(201);
    expect((await createSession(stops)).status).toBe(503);
    expect((await openAccess(stays)).status).toBe(201);
    await app.nest.get(ReminderDispatcher).dispatchDue();
    await waitFor(() => Promise.resolve(deliveredTo(stays) === 4));
    expect(deliveredTo(stops)).toBe(2);
    const ready = await app.call('GET', '/health/ready');
    expect([ready.status, ready.body.details.servers]).toEqual([
      200,
      { status: 'up', state: 'degraded', unreachable: [server] },
    ]);
    // The alert MetricsIncomplete fires.
    expect((await app.call('GET', '/metrics')).text).toMatch(
      /^scheduling_database_up 1$[^]*^scheduling_metrics_complete 0$/m,
    );

    down.start();
    await waitFor(async () => (await createSession(stops)).status === 201);
    await app.nest.get(ReminderSweeper).sweep();
    await app.nest.get(ReminderDispatcher).dispatchDue();
    // Each Session has a reminder for the Client and one for the Care Provider. Those that are due together are one
    // message.
    await waitFor(() => Promise.resolve(deliveredTo(stops) >= 4));
    const countByStatus = () =>
      queryRows<{ status: string; count: string }>(
        url,
        `select status, count(*) from reminder where clinic_id in (${stays.clinicId}, ${stops.clinicId}) group by 1`,
      );
    // The outcome of a message is stored after its delivery.
    await waitFor(async () => (await countByStatus()).every(({ status }) => status === 'SENT'));
    expect(await countByStatus()).toEqual([{ status: 'SENT', count: '12' }]);
    const ids = app.deliveredMessages.map(({ messageId }) => messageId);
    expect(new Set(ids).size).toBe(ids.length);
    expect((await app.call('GET', '/health/ready')).body.details.servers).toEqual({ status: 'up', state: 'in use' });
  });

  it('delays no other Clinic if it goes down after messages were sent, before their reminders are marked', async () => {
    const down = cluster.nodes[1]!;
    const { host: server } = new URL(down.url);
    const clinics = await createClinicOnEachWorker(url, createClinic);
    const stops = clinics.get(server)!;
    const [, stays] = [...clinics].find(([each]) => each !== server)!;
    const channel = app.nest.get(LogChannel);
    const sending: ReminderMessage[] = [];
    const isDown = Promise.withResolvers<undefined>();
    channel.deliver = async (message) => {
      sending.push(message);
      if (message.clinicId === stops.clinicId) await isDown.promise;
      app.deliveredMessages.push(message);
      return {};
    };
    // Each worker of the queue gets a message whose delivery takes longer.
    for (let batches = 1; batches <= 4; batches += 1) {
      await waitFor(async () => (await createSession(stops)).status === 201);
      await app.nest.get(ReminderDispatcher).dispatchDue();
      await waitFor(() => Promise.resolve(sending.length === batches * 2));
    }
    down.kill();
    isDown.resolve(undefined);
    await waitFor(() => Promise.resolve(deliveredTo(stops) === 8));
    expect((await createSession(stays)).status).toBe(201);
    await app.nest.get(ReminderDispatcher).dispatchDue();
    await waitFor(() => Promise.resolve(deliveredTo(stays) === 2));

    down.start();
    const countByStatus = () =>
      queryRows<{ status: string; count: string }>(
        url,
        `select status, count(*) from reminder where clinic_id in (${stays.clinicId}, ${stops.clinicId}) group by 1`,
      );
    await waitFor(async () => (await countByStatus().catch(() => [])).map(({ status }) => status).join() === 'SENT');
    await app.nest.get(ReminderSweeper).sweep();
    expect(await countByStatus()).toEqual([{ status: 'SENT', count: '10' }]);
    expect(deliveredTo(stops)).toBe(8);
  });
});

/** The Sessions of a Clinic, and the audit entries of requests that have created one. */
async function countCreations({ clinicId }: ClinicFixture): Promise<{ sessions: number; entries: number }> {
  const [row] = await queryRows<{ sessions: number; entries: number }>(
    url,
    `select (select count(*)::int from session where clinic_id = ${clinicId}) as sessions,
      (select count(*)::int from audit_entry where clinic_id = ${clinicId} and access = 'WRITE' and outcome = 'OK'
        and operation = 'POST ${SESSIONS}') as entries`,
  );
  return row!;
}

/** A server with this setting waits during a commit or PREPARE TRANSACTION, after it has written it to its disk. */
async function setWaitAtCommit({ url: address }: CitusNode, isOn: boolean): Promise<void> {
  const setting = isOn ? `set synchronous_standby_names = 'absent'` : 'reset synchronous_standby_names';
  await queryRows(address, `alter system ${setting}`);
  await queryRows(address, 'select pg_reload_conf()');
}

const countWaiting = async ({ url: address }: CitusNode) =>
  (await queryRows(address, `select from pg_stat_activity where wait_event = 'SyncRep' and datname = 'care'`)).length;

it.each([
  { what: 'rolls a change back', waiting: 'worker', isDone: false },
  { what: 'completes a change', waiting: 'coordinator', isDone: true },
])('$what and its audit entry if the coordinator crashes while the $waiting commits', async ({ waiting, isDone }) => {
  const [[server, clinic]] = [...(await createClinicOnEachWorker(url, createClinic))] as [[string, ClinicFixture]];
  await waitFor(async () => (await createSession(clinic)).status === 201);
  expect(await countCreations(clinic)).toEqual({ sessions: 1, entries: 1 });
  const coordinator = cluster.nodes[0]!;
  const waits = waiting === 'coordinator' ? coordinator : cluster.nodes.find((node) => node.url.includes(server))!;

  await setWaitAtCommit(waits, true);
  const request = createSession(clinic);
  await waitFor(async () => (await countWaiting(waits)) > 0);
  coordinator.kill();
  expect((await request).status).toBe(503);
  coordinator.start();
  await setWaitAtCommit(waits, false);
  await waitFor(async () => (await countWaiting(waits)) === 0);
  // Citus does this each minute.
  await queryRows(url, 'select recover_prepared_transactions()');

  const count = isDone ? 2 : 1;
  expect(await countCreations(clinic)).toEqual({ sessions: count, entries: count });
  await waitFor(async () => (await createSession(clinic)).status === 201);
  expect(await countCreations(clinic)).toEqual({ sessions: count + 1, entries: count + 1 });
});

it('has a backup that is restored into plain PostgreSQL', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'citus-backup-'));
  const plain = Object.assign(new URL(url), { pathname: '/plain' }).href;
  try {
    await queryRows(cluster.nodes[0]!.url, 'create database plain');
    expect(await run('migrate', plain)).toMatchObject({ status: 0 });
    const target = join(directory, 'taken');
    expect(await run('backup', url, target)).toMatchObject({ status: 0 });
    expect(await run('restore', plain, target)).toMatchObject({ status: 0 });
    expect(await run('verify-restore', plain, target)).toMatchObject({ status: 0 });
    const count = 'select count(*) from reminder';
    expect(await queryRows(plain, count)).toEqual(await queryRows(url, count));
  } finally {
    rmSync(directory, { recursive: true });
  }
});
