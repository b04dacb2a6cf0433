import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { runCommandInProcess } from '../support/process/cli-command.js';
import { repetitionCount } from '../support/app/repetitions.js';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';
import { ServiceProcess } from '../support/process/service-process.js';
import { TEST_JWT_SECRET, waitFor } from '../support/app/test-app.js';

/*
 * Tests several processes of the built service on one PostgreSQL database, and the crash of one of them. Each test
 * continues with the instances of the previous one, because they start slowly. DUE=5000 runs the full size.
 */

const REMINDERS = repetitionCount('DUE', 2_000, 5_000);
/**
 * Maximum number of messages that a killed process has delivered without recording it. This is the concurrency of its
 * channel.
 */
const CHANNEL_CONCURRENCY = 100;

let database: TestDatabase;
let client: pg.Client;
let url: string;
let ownerUrl: string;
let instances: ServiceProcess[] = [];

beforeAll(async () => {
  database = await createTestDatabase('postgresql');
  if (database.environment.kind !== 'postgresql') throw new Error('This test needs a server');
  ({ url, migrationUrl: ownerUrl } = database.environment);
  client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  await client.query(`
    insert into clinic (name, time_zone, active, created_at) values ('C', 'Europe/London', true, now());
    insert into care_provider (clinic_id, name, active, created_at) values (1, 'P', true, now());
    insert into client (clinic_id, name, active, created_at) select 1, 'K', true, now() from generate_series(1, ${REMINDERS});
    insert into session_series (id, clinic_id, caregiver_id, interval_days, reminders, created_at)
      values ('019abcde-0000-7000-8000-000000000000', 1, 1, 7, '[]', now());
    insert into session (clinic_id, series_id, position, caregiver_id, client_id, title, planned_date, planned_time, time_zone,
        duration_minutes, starts_at, ends_at, status, version, created_at, updated_at)
      values (1, '019abcde-0000-7000-8000-000000000000', 1, 1, 1, 'T', '2027-01-01', '10:00', 'Europe/London',
        50, '2027-01-01T10:00Z', '2027-01-01T10:50Z', 'SCHEDULED', 1, now(), now())`);
});

afterAll(async () => {
  await Promise.all(instances.splice(0).map((instance) => instance.terminate('SIGKILL')));
  await client.end();
  await database.drop();
});

async function start(environment: Record<string, string> = {}): Promise<ServiceProcess> {
  const instance = await ServiceProcess.start({ DATABASE_URL: url, ...environment });
  instances.push(instance);
  return instance;
}

/** Starts missing instances, and deletes all reminders and delivered messages. */
async function ensureInstances(count: number): Promise<ServiceProcess[]> {
  instances = instances.filter(({ exitCode }) => exitCode === undefined);
  await Promise.all(instances.splice(count).map((instance) => instance.terminate('SIGKILL')));
  await client.query('delete from reminder');
  await Promise.all(Array.from({ length: count - instances.length }, () => start()));
  for (const instance of instances) instance.deliveredMessageIds.length = 0;
  return instances;
}

/**
 * Each reminder is for a different Client, so each becomes a message of its own. Autovacuum may have analyzed the table
 * while it was empty, which it never is in production: PostgreSQL would then read all rows for each recipient.
 */
async function insertReminders(count: number, dueAt: string): Promise<void> {
  await client.query(`
    insert into reminder (clinic_id, session_id, caregiver_id, recipient_kind, recipient_id, rule, due_at, send_at, status, story, created_at)
      select 1, 1, 1, 'CLIENT', n, '{"kind":"REMIND_DAYS","days":0}', ${dueAt}, ${dueAt}, 'PENDING', '[]', now()
      from generate_series(1, ${count}) n;
    analyze reminder`);
}

async function countByStatus(): Promise<Record<string, number>> {
  const { rows } = await client.query<{ status: string; count: number }>(
    'select status, count(*)::int as count from reminder group by status',
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

const getDeliveredMessageIds = () => instances.flatMap((instance) => instance.deliveredMessageIds);
const areAllSent = async () => (await countByStatus())['SENT'] === REMINDERS;

it(`two instances deliver ${REMINDERS} reminders that are due together, each once`, async () => {
  await ensureInstances(2);
  await insertReminders(REMINDERS, 'now()');
  await waitFor(areAllSent);
  await waitFor(() => getDeliveredMessageIds().length >= REMINDERS);
  expect(new Set(getDeliveredMessageIds()).size).toBe(REMINDERS);
  expect(getDeliveredMessageIds()).toHaveLength(REMINDERS);
  for (const instance of instances) expect(instance.deliveredMessageIds.length).toBeGreaterThan(0);
});

it('loses no reminder when one of two instances is killed', async () => {
  await ensureInstances(2);
  await insertReminders(REMINDERS, 'now()');
  // Returns the instances, busiest first, because the work may not be shared evenly.
  const busiest = () => instances.toSorted((a, b) => b.deliveredMessageIds.length - a.deliveredMessageIds.length)[0]!;
  await waitFor(() => busiest().deliveredMessageIds.length > 0);
  await busiest().terminate('SIGKILL');
  const killed = performance.now();
  const { SENT: sentBefore = 0 } = await countByStatus();
  expect(sentBefore).toBeLessThan(REMINDERS);
  await waitFor(areAllSent);
  const seconds = (performance.now() - killed) / 1000;
  await waitFor(() => new Set(getDeliveredMessageIds()).size === REMINDERS);
  const duplicates = getDeliveredMessageIds().length - REMINDERS;
  process.stdout.write(
    `killed after ${sentBefore}: ${duplicates} delivered twice, all sent ${seconds.toFixed(1)} s later\n`,
  );
  expect(duplicates).toBeLessThanOrEqual(CHANNEL_CONCURRENCY);
  expect(seconds).toBeLessThan(60);
});

it('delivers reminders after a restart that were planned before it', async () => {
  const [first] = (await ensureInstances(1)) as [ServiceProcess];
  await insertReminders(2, "now() + interval '3 seconds'");
  await first.terminate('SIGKILL');
  const second = await start();
  await waitFor(() => second.deliveredMessageIds.length === 2);
  expect(first.deliveredMessageIds).toHaveLength(0);
});

describe('a start that fails', () => {
  const fails = async (environment: Record<string, string>): Promise<string[]> => {
    const instance = await ServiceProcess.launch({ DATABASE_URL: url, LOG_LEVEL: 'silent', ...environment });
    expect(await instance.waitForExit()).toBe(1);
    // The package `cron` writes such a line when a slow machine starts a job some milliseconds late.
    const isLateStart = (line: string) => line.startsWith('[Cron] Missed execution deadline');
    return instance.stderr
      .trim()
      .split('\n')
      .filter((line) => !isLateStart(line));
  };
  /**
   * Starts the service with invalid variables, which it checks before anything else. Returns the lines of the error.
   */
  const failsAtOnce = async (environment: Record<string, string>): Promise<string[]> => {
    const { status, stderr } = await runCommandInProcess('main', [], {
      DATABASE_URL: url,
      JWT_SECRET: TEST_JWT_SECRET,
      ...environment,
    });
    expect(status).toBe(1);
    return stderr.trim().split('\n');
  };

  it('names the port that is in use', async () => {
    const [{ port }] = (await ensureInstances(1)) as [ServiceProcess];
    expect(await fails({ PORT: String(port) })).toEqual([
      `Port ${port} on 127.0.0.1 is in use: set PORT to a free port.`,
    ]);
    expect(await fails({ METRICS_PORT: String(port) })).toEqual([
      `Port ${port} on 127.0.0.1 is in use: set METRICS_PORT to a free port.`,
    ]);
  });

  it('prints one line for each invalid variable, also of different modules', async () => {
    const invalid = {
      ...{ PORT: '70000', REMINDER_CRON: 'often', LOG_LEVEL: 'loud', JWT_SECRET: 'short' },
      ...{ SMTP_URL: 'mail.example', REMINDER_WEBHOOK_URL: 'ftp://hook.example', QUEUE_POLLING: 'often' },
      ...{ METRICS_TOKEN: 'short', ERASURE_DELAY: 'soon', OTEL_EXPORTER_OTLP_ENDPOINT: 'collector' },
    };
    const lines = await failsAtOnce(invalid);
    expect(lines.map((line) => /^Environment: (\w+) must/.exec(line)?.[1]).toSorted()).toEqual(
      [...Object.keys(invalid), 'MAIL_FROM', 'REMINDER_WEBHOOK_SECRET'].toSorted(),
    );
  });

  it('also lists, at once, variables that need each other', async () => {
    const given = { SMTP_URL: 'smtp://mail', REMINDER_WEBHOOK_URL: 'https://hook', RETENTION_MINIMUM: 'audit=P1M' };
    expect((await failsAtOnce({ PORT: '70000', ...given })).toSorted()).toEqual([
      'Environment: MAIL_FROM must be set when SMTP_URL is',
      expect.stringMatching(/^Environment: PORT must/),
      'Environment: REMINDER_WEBHOOK_SECRET must be set when REMINDER_WEBHOOK_URL is',
      'Environment: RETENTION_MINIMUM audit: must be at least P1Y',
    ]);
  });

  it('requires a key for tokens with DATABASE_URL', async () => {
    expect(await failsAtOnce({ JWT_SECRET: '' })).toEqual([
      expect.stringMatching(/^Environment: JWT_SECRET or JWT_JWKS_URL must be set/),
    ]);
  });

  it('reports an unreachable database', async () => {
    const lines = await fails({ DATABASE_URL: 'postgres://absent:secret@127.0.0.1:1/none' });
    expect(lines).toEqual([expect.stringMatching(/^The database of DATABASE_URL cannot be used \(ECONNREFUSED\)/)]);
  });

  it('reports missing migrations', async () => {
    const { rows } = await client.query<{ name: string }>(
      'delete from schema_migration where name = (select max(name) from schema_migration) returning name',
    );
    expect(await fails({})).toEqual([expect.stringMatching(/lacks \d+ migration\(s\): run "npm run migrate"/)]);
    await client.query('insert into schema_migration (name) values ($1)', [rows[0]!.name]);
  });
});

it('drains on SIGTERM and exits 0', async () => {
  const [instance] = (await ensureInstances(1)) as [ServiceProcess];
  await insertReminders(1_000, 'now()');
  await waitFor(() => instance.deliveredMessageIds.length > 0);
  await instance.stop();
  const { SENT = 0 } = await countByStatus();
  expect(new Set(instance.deliveredMessageIds).size).toBe(SENT);
});

it('claims no further reminders after SIGTERM, however many are due', async () => {
  const backlog = 40_000;
  const [instance] = (await ensureInstances(1)) as [ServiceProcess];
  await client.query(`
    insert into client (clinic_id, name, active, created_at)
      select 1, 'K', true, now() from generate_series((select max(id) + 1 from client), ${backlog})`);
  await insertReminders(backlog, 'now()');
  await waitFor(() => instance.deliveredMessageIds.length > 0);
  const { PENDING: before = 0 } = await countByStatus();
  await instance.stop();
  const { PENDING: after = 0, SENT = 0 } = await countByStatus();
  // The batches that were in progress claim at most 500 reminders each.
  expect(before - after).toBeLessThan(3_000);
  expect(new Set(instance.deliveredMessageIds).size).toBe(SENT);
});

it('counts a log line as delivered only once it is written, even with a slow reader', async () => {
  const [instance] = (await ensureInstances(1)) as [ServiceProcess];
  instance.pauseLogReading();
  await insertReminders(REMINDERS, 'now()');
  let sent = -1;
  // Waits until no further message is sent, because the pipe is full.
  await waitFor(async () => {
    const before = sent;
    ({ SENT: sent = 0 } = await countByStatus());
    if (sent === before && sent > 0) return true;
    await delay(1_000);
    return false;
  });
  await instance.terminate('SIGKILL');
  const { rows } = await client.query<{ message_id: string }>(`select message_id from reminder where status = 'SENT'`);
  const delivered = new Set(instance.deliveredMessageIds);
  const lost = rows.filter((row) => !delivered.has(row.message_id)).length;
  expect([lost, rows.length < REMINDERS]).toEqual([0, true]);
});

it('two instances that start together on an empty database both become ready', async () => {
  await client.query('drop schema public cascade; drop schema pgboss cascade; create schema public');
  const migrating = { MIGRATE_ON_START: 'true', MIGRATION_DATABASE_URL: ownerUrl };
  const both = await Promise.all([start(migrating), start(migrating)]);
  expect(both.map((instance) => instance.exitCode)).toEqual([undefined, undefined]);
});
