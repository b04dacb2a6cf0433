import { jest } from '@jest/globals';
import { sql } from 'kysely';
import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import { ReminderDispatcher, ReminderQueue } from '../../src/reminder/index.js';
import { Scheduler } from '../../src/scheduler/index.js';
import { DatabaseMetrics } from '../../src/shared/metrics/index.js';
import { scrapeMetrics, findSampleValue, type MetricSample } from '../support/operations/metrics.js';
import { TcpProxy } from '../support/database/tcp-proxy.js';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';
import { waitFor, TestApp } from '../support/app/test-app.js';

/* Tests `/metrics` and `/health/ready` during failures of the database and of the dispatch. */

/**
 * Maximum duration of a scrape. It waits two seconds for the database and, at the same time, for the readiness checks.
 */
const SCRAPE_MS = 4_500;
/** Time for which the result of a scrape is cached, in milliseconds. */
const SHARED_MS = 3_000;
/** Metrics whose values do not come from the database. */
const OF_THE_PROCESS = [
  'process_start_time_seconds',
  'scheduling_clock_skew_seconds',
  'scheduling_revocation_list_age_seconds',
  'scheduling_reminder_last_dispatch_timestamp_seconds',
];

let database: TestDatabase;
let owner: pg.Client;
let name: string;
let wire: TcpProxy;
let app: TestApp;
beforeAll(async () => {
  database = await createTestDatabase('postgresql');
  if (database.environment.kind !== 'postgresql') throw new Error('needs a server');
  const { url, migrationUrl } = database.environment;
  name = new URL(url).pathname.slice(1);
  owner = new pg.Client({ connectionString: process.env['TEST_SERVER_URL'] });
  await owner.connect();
  wire = await TcpProxy.start(new URL(url));
  const through = { url: wire.toProxyUrl(new URL(url)), migrationUrl };
  app = await TestApp.start({ database: { ...database.environment, ...through }, reminderCron: '* * * * * *' });
});
afterAll(async () => {
  await app.stop();
  await wire.stop();
  await owner.end();
  await database.drop();
});

const now = performance.now.bind(performance);
/** Milliseconds by which the tests advance the monotonic clock in order not to wait. */
let ahead = 0;
jest.spyOn(performance, 'now').mockImplementation(() => now() + ahead);
let lastScrape = 0;

/** Scrapes the metrics, and requires a response in time. */
async function scrapeInTime(): Promise<MetricSample[]> {
  const start = now();
  // The clock is not advanced in every call, because jobs run in real time and would count as stalled.
  if (start - lastScrape > 200) {
    ahead += SHARED_MS;
    lastScrape = start;
  }
  const samples = await scrapeMetrics(app);
  expect(now() - start).toBeLessThan(SCRAPE_MS);
  for (const metric of OF_THE_PROCESS)
    expect([metric, typeof findSampleValue(samples, metric)]).toEqual([metric, 'number']);
  return samples;
}

/** Scrapes until the metrics fulfil a condition. */
async function scrapeUntil(isExpected: (samples: MetricSample[]) => boolean): Promise<void> {
  await waitFor(async () => isExpected(await scrapeInTime()));
}

const ofTheDatabase = (samples: MetricSample[]) =>
  Object.fromEntries(
    [
      ['up', 'scheduling_database_up'],
      ['readOnly', 'scheduling_database_read_only'],
      ['complete', 'scheduling_metrics_complete'],
      ['due', 'scheduling_reminders_due'],
      ['ready', 'scheduling_instance_ready'],
    ].map(([key, metric]) => [key!, findSampleValue(samples, metric!)]),
  );

const terminate = () =>
  owner.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
const WELL = { up: 1, readOnly: 0, complete: 1, due: 0, ready: 1 };
const shows = (expected: object) => (samples: MetricSample[]) => isDeepStrictEqual(ofTheDatabase(samples), expected);

it('has all metrics while the database is available', async () => {
  await scrapeUntil(shows(WELL));
});

it('has the metrics of the process, and scheduling_database_up 0, while the database refuses connections', async () => {
  await owner.query(`alter database ${name} allow_connections false`);
  await terminate();
  try {
    await scrapeUntil(shows({ up: 0, readOnly: undefined, complete: 0, due: undefined, ready: 0 }));
  } finally {
    await owner.query(`alter database ${name} allow_connections true`);
  }
  await scrapeUntil(shows(WELL));
});

it('answers in time while the database does not answer', async () => {
  wire.dropPackets();
  try {
    await scrapeUntil(shows({ up: 0, readOnly: undefined, complete: 0, due: undefined, ready: 0 }));
  } finally {
    wire.acceptConnections();
  }
  await scrapeUntil(shows(WELL));
});

it('has scheduling_database_read_only 1 and all other metrics while the database is read-only', async () => {
  await owner.query(`alter database ${name} set default_transaction_read_only = on`);
  await terminate();
  try {
    await scrapeUntil(shows({ up: 1, readOnly: 1, complete: 1, due: 0, ready: 0 }));
  } finally {
    await owner.query(`alter database ${name} reset default_transaction_read_only`);
    await terminate();
  }
  await scrapeUntil(shows(WELL));
});

it('has scheduling_database_up 1 while the database answers, but the queries for metrics take too long', async () => {
  const metrics = app.nest.get(DatabaseMetrics);
  let seconds = 1.2;
  // Each statement is within its own time limit.
  for (const name of ['slow_one', 'slow_other']) {
    const statement = () => sql<{ slow: number }>`select 0 as slow from pg_catalog.pg_sleep(${seconds})`;
    metrics.register({ statement, gauges: { slow: { name, help: 'A slow query.' } } });
  }
  await scrapeUntil(shows({ ...WELL, complete: 0, due: undefined }));
  seconds = 0;
  await scrapeUntil(shows(WELL));
});

const readReadiness = async () => {
  const { status, body } = await app.call('GET', '/health/ready');
  return [status, (body as { detail?: string }).detail];
};

it('is not ready while its queue of reminders does not run', async () => {
  const isRunning = jest.spyOn(app.nest.get(ReminderQueue), 'isRunning', 'get').mockReturnValue(false);
  try {
    expect(await readReadiness()).toEqual([503, 'Not ready: reminderQueue.']);
  } finally {
    isRunning.mockRestore();
  }
  expect(await readReadiness()).toEqual([200, undefined]);
});

it('is not ready while the dispatch makes no progress', async () => {
  const scheduler = app.nest.get(Scheduler);
  // Otherwise, a run that began before the failure could succeed after the clock has been advanced.
  await scheduler.stop('reminder-dispatch');
  const dispatch = jest.spyOn(app.nest.get(ReminderDispatcher), 'dispatchDue').mockRejectedValue(new Error('stuck'));
  expect(await readReadiness()).toEqual([200, undefined]);
  ahead += 61_000;
  try {
    await scheduler.run('reminder-dispatch');
    expect(await readReadiness()).toEqual([503, 'Not ready: jobs (no progress of reminder-dispatch).']);
    dispatch.mockRestore();
    await scheduler.run('reminder-dispatch');
    expect(await readReadiness()).toEqual([200, undefined]);
  } finally {
    dispatch.mockRestore();
    scheduler.start('reminder-dispatch');
  }
});
