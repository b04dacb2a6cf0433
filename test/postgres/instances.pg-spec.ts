import { MikroORM } from '@mikro-orm/core';
import pg from 'pg';
import { ormOptions } from '../../mikro-orm.config.js';
import { findRunningInstances } from '../../src/instance/index.js';
import { RELEASE } from '../../src/shared/config/release.js';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';
import { ServiceProcess } from '../support/process/service-process.js';
import { waitFor } from '../support/app/test-app.js';

/* Tests instances with wrong clocks next to one with the right clock, and the table of their heartbeats. */

const HOUR = 3_600_000;
const SHIFTS = { '+1 h': HOUR, '+1 d': 24 * HOUR, '+2 d': 48 * HOUR, '-1 d': -24 * HOUR };
/** Due times in hours from now. A wrong clock would send some of these reminders early or skip them as too late. */
const DUE = { late: -23, now: 0, soon: 0.5, tomorrow: 20, later: 40 };
const PER_TIME = 14;

let database: TestDatabase;
let client: pg.Client;
let url: string;
const wrong = new Map<string, ServiceProcess>();
let right: ServiceProcess;
beforeAll(async () => {
  database = await createTestDatabase('postgresql');
  if (database.environment.kind !== 'postgresql') throw new Error('needs a server');
  const { migrationUrl } = database.environment;
  url = database.environment.url;
  client = new pg.Client({ connectionString: migrationUrl });
  await client.connect();
  await insertReminders();
});
afterAll(async () => {
  await Promise.all([...wrong.values(), right].map((instance) => instance.terminate('SIGKILL')));
  await client.end();
  await database.drop();
});

async function insertReminders(): Promise<void> {
  await client.query(`
    insert into clinic (name, time_zone, active, created_at) values ('C', 'Europe/London', true, now());
    insert into care_provider (clinic_id, name, active, created_at) values (1, 'P', true, now());
    insert into client (clinic_id, name, active, created_at)
      select 1, 'K', true, now() from generate_series(1, ${PER_TIME});
    insert into session_series (id, clinic_id, caregiver_id, interval_days, reminders, created_at)
      values ('019abcde-0000-7000-8000-000000000000', 1, 1, 7, '[]', now());
    insert into session (clinic_id, series_id, position, caregiver_id, client_id, title, planned_date, planned_time, time_zone,
        duration_minutes, starts_at, ends_at, status, version, created_at, updated_at)
      values (1, '019abcde-0000-7000-8000-000000000000', 1, 1, 1, 'T', '2037-01-01', '10:00', 'Europe/London',
        50, '2037-01-01T10:00Z', '2037-01-01T10:50Z', 'SCHEDULED', 1, now(), now());
    insert into reminder (clinic_id, session_id, caregiver_id, recipient_kind, recipient_id, rule, due_at, send_at, status, story, created_at)
      select 1, 1, 1, 'CLIENT', n, '{"kind":"REMIND_DAYS","days":0}', due, due, 'PENDING', '[]', now()
      from generate_series(1, ${PER_TIME}) n, (select now() + interval '1 hour' * h as due
        from unnest(array[${Object.values(DUE).join()}]::float8[]) h) as times`);
}

const launch = (milliseconds: number) =>
  ServiceProcess.launch({
    ...{ DATABASE_URL: url, CLOCK_SHIFT_MS: String(milliseconds) },
    NODE_OPTIONS: '--no-warnings --import ./test/support/process/shifted-clock.ts',
  });
const readinessOf = async (instance: ServiceProcess): Promise<[number, string]> => {
  const response = await fetch(`${instance.url}/health/ready`).catch(() => undefined);
  if (response === undefined) return [0, ''];
  return [response.status, ((await response.json()) as { detail?: string }).detail ?? ''];
};
const statuses = async () => {
  const { rows } = await client.query<{ hours: number; status: string; count: number }>(`
    select round(extract(epoch from due_at - created_at) / 1800)::float8 / 2 as hours, status, count(*)::int as count
    from reminder group by 1, 2 order by 1, 2`);
  return rows.map(({ hours, status, count }) => [hours, status, count]);
};
/** The rows that `statuses` returns if all reminders due at these times have this status. */
const all = (status: string, times: readonly number[]) => times.map((hours) => [hours, status, PER_TIME]);
const rows = async () => {
  const { rows } = await client.query<{ id: string; offset: number; seen: Date }>(
    'select id, clock_offset_ms::float8 as "offset", last_seen as seen from instance order by "offset"',
  );
  return rows;
};
const clockLines = (instance: ServiceProcess) =>
  instance.logLines
    .filter((line) => line.includes('"instance.clock"'))
    .map((line) => JSON.parse(line) as { level: number });

it('an instance with a wrong clock logs it, is not ready, and dispatches nothing', async () => {
  for (const [name, shift] of Object.entries(SHIFTS)) wrong.set(name, await launch(shift));
  await waitFor(async () => {
    const answers = await Promise.all([...wrong.values()].map(readinessOf));
    return answers.every(([status]) => status === 503);
  });
  for (const [name, instance] of wrong) {
    const [, detail] = await readinessOf(instance);
    const shift = SHIFTS[name as keyof typeof SHIFTS];
    const [, seconds, side] = /clock \(the machine's clock is ([\d.]+) s (ahead of|behind) /.exec(detail) ?? [];
    const isBehind = side === 'behind';
    expect([name, Math.round(Number(seconds)), isBehind]).toEqual([name, Math.abs(shift) / 1000, shift < 0]);
    expect((await fetch(`${instance.url}/health/live`)).status).toBe(200);
    const metrics = await (await fetch(`${instance.url}/metrics`)).text();
    const skew = Number(/^scheduling_clock_skew_seconds (.+)$/m.exec(metrics)?.[1]);
    expect([name, Math.round(skew)]).toEqual([name, shift / 1000]);
    expect(metrics).toMatch(/^scheduling_instance_ready 0$/m);
  }
  // Waits for the second heartbeat of each instance. Until then, a wrong clock would have dispatched every second.
  const first = await rows();
  await waitFor(async () => (await rows()).every(({ seen }, index) => seen > first[index]!.seen));
  expect((await rows()).map(({ offset }) => Math.round(offset / 60_000))).toEqual([-1_440, 60, 1_440, 2_880]);
  expect(await statuses()).toEqual(all('PENDING', Object.values(DUE)));
  for (const instance of wrong.values()) expect(clockLines(instance).map(({ level }) => level)).toEqual([50]);
});

it('an instance with the right clock beside them sends due reminders, none early, and loses none', async () => {
  right = await launch(0);
  await right.waitUntilReady();
  const due = [DUE.late, DUE.now];
  const waiting = `select from reminder where send_at <= now() and status in ('PENDING', 'QUEUED')`;
  await waitFor(async () => (await client.query(waiting)).rowCount === 0);
  expect(await statuses()).toEqual([...all('SENT', due), ...all('PENDING', [DUE.soon, DUE.tomorrow, DUE.later])]);
  await waitFor(() => right.deliveredMessageIds.length === PER_TIME);
  for (const instance of wrong.values()) expect(instance.deliveredMessageIds).toEqual([]);
});

it('is ready after its clock is corrected, and not ready after its clock is set wrong while it runs', async () => {
  await right.terminate('SIGKILL');
  const [first, ...others] = [...wrong.values()];
  await Promise.all(others.map((instance) => instance.terminate('SIGKILL')));
  first!.sendSignal('SIGUSR2');
  await waitFor(async () => (await readinessOf(first!))[0] === 200);
  await client.query(`update reminder set due_at = now(), send_at = now() where due_at > now() + interval '30 hours'`);
  const before = first!.deliveredMessageIds.length;
  await waitFor(() => first!.deliveredMessageIds.length === before + PER_TIME);
  await waitFor(() => clockLines(first!).length === 2);
  expect(clockLines(first!).map(({ level }) => level)).toEqual([50, 30]);

  first!.sendSignal('SIGUSR2');
  await waitFor(async () => (await readinessOf(first!))[0] === 503);
  await waitFor(() => clockLines(first!).length === 3);
  await client.query(`update reminder set due_at = now(), send_at = now() where due_at > now() + interval '10 hours'`);
  // The line is logged when the offset is measured, and the heartbeat writes it a little later.
  const findRow = async () => (await rows()).find(({ offset }) => Math.round(offset / HOUR) === 1);
  await waitFor(async () => (await findRow()) !== undefined);
  const row = (await findRow())!;
  await waitFor(async () => (await rows()).some(({ id, seen }) => id === row.id && seen > row.seen));
  expect((await statuses()).filter(([, status]) => status === 'PENDING')).toHaveLength(2);
  first!.sendSignal('SIGUSR2');
  await waitFor(() => first!.deliveredMessageIds.length === before + 2 * PER_TIME);
});

it('lists the running instances: not the stopped ones, and the killed ones for 30 s', async () => {
  const orm = await MikroORM.init(await ormOptions(database.environment, 'owner'));
  try {
    const [first] = [...wrong.values()];
    const zoneDataVersion = process.versions['tz'];
    const running = await findRunningInstances(orm);
    // The other instances have just been killed.
    expect(running).toHaveLength(5);
    for (const one of running) expect(one).toMatchObject({ release: RELEASE, zoneDataVersion });
    await client.query(
      `update instance set last_seen = last_seen - interval '30 seconds' where abs(clock_offset_ms) > 60000`,
    );
    await first!.stop();
    expect((await findRunningInstances(orm)).map(({ clockOffsetMs }) => Math.abs(clockOffsetMs) < 60_000)).toEqual([
      true,
    ]);
    await client.query(`drop table instance`);
    expect(await findRunningInstances(orm)).toEqual([]);
  } finally {
    await orm.close();
  }
});
