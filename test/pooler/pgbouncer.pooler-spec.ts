import { MikroORM } from '@mikro-orm/core';
import { sql } from 'kysely';
import pg from 'pg';
import { Scheduler } from '../../src/scheduler/index.js';
import {
  DATABASE_LOGINS,
  executeDeferred,
  forkForActor,
  inSavepoint,
  type TenantEntityManager,
} from '../../src/shared/persistence/index.js';
import { TestApp, waitFor } from '../support/app/test-app.js';
import { startPgbouncer, type Pgbouncer } from '../support/database/pgbouncer.js';
import {
  createTestDatabase,
  toLoginUrl,
  withSeparateLogins,
  type TestDatabase,
} from '../support/database/test-database.js';

/*
 * Tests requirements of PgBouncer in transaction mode that the end-to-end tests do not cover. `npm run test:pgbouncer`
 * runs both.
 */

let database: TestDatabase;
let name: string;
let pgbouncer: Pgbouncer;
let url: (user: string, of: string) => string;
beforeAll(async () => {
  database = await createTestDatabase('postgresql');
  const server = new URL(process.env['TEST_SERVER_URL']!);
  if (database.environment.kind === 'postgresql') name = new URL(database.environment.migrationUrl).pathname.slice(1);
  pgbouncer = await startPgbouncer(server, name);
  url = (user, of) => `postgres://${user}:${user}@127.0.0.1:${pgbouncer.port}/${of}`;
});
afterAll(async () => {
  await pgbouncer.stop();
  await database.drop();
});

/** Returns the settings of a server connection that PgBouncer has opened. */
async function settingsOf(of: string): Promise<object> {
  const client = new pg.Client({ connectionString: url('scheduling_app', of) });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string; setting: string }>(
      `select name, setting from pg_settings
       where name in ('statement_timeout', 'lock_timeout', 'enable_seqscan', 'enable_bitmapscan', 'jit')`,
    );
    return Object.fromEntries(rows.map((row) => [row.name, row.setting]));
  } finally {
    await client.end();
  }
}

it('gives the timeouts to the connections of requests, and the planner settings to those of the queue', async () => {
  expect(await settingsOf(name)).toMatchObject({
    ...{ statement_timeout: '15000', lock_timeout: '8000', enable_seqscan: 'on', enable_bitmapscan: 'on' },
  });
  expect(await settingsOf('queue')).toMatchObject({ enable_seqscan: 'off', enable_bitmapscan: 'off', jit: 'off' });
});

describe('a service with QUEUE_DATABASE_URL', () => {
  let app: TestApp;
  beforeAll(async () => {
    if (database.environment.kind !== 'postgresql') throw new Error('needs a server');
    const urls = { url: url('scheduling_app', name), queueUrl: url('scheduling_app', 'queue') };
    app = await TestApp.start({ database: { ...database.environment, ...urls } });
  });
  afterAll(() => app.stop());

  it('is ready', async () => {
    expect((await app.call('GET', '/health/ready')).status).toBe(200);
    expect((await app.call('GET', '/gateway/admin/clinic', { token: await app.createToken('ADMIN') })).status).toBe(
      200,
    );
  });

  it('executes a statement that was skipped in a failed transaction', async () => {
    const em = forkForActor(app.nest.get(MikroORM).em, { role: 'MAINTENANCE' });
    const value = await em.transactional(async (inner) => {
      const tenant = inner as unknown as TenantEntityManager;
      const statement = sql<{ value: number }>`select ${1}::int as value`;
      const failing = inSavepoint(tenant, async () => {
        await executeDeferred(tenant, sql`select 1 / 0`);
        await statement.execute(tenant.getKysely());
      });
      await expect(failing).rejects.toMatchObject({ code: '22012' });
      return (await statement.execute(tenant.getKysely())).rows[0]!.value;
    });
    expect(value).toBe(1);
  });
});

async function serveWithSeparateLogins(app: TestApp): Promise<void> {
  app.clock.set('2027-02-01T10:00:00Z');
  const { clientIds, careProviderToken: token } = await app.createClinic();
  const body = { clientId: clientIds[0], title: 'Talk', date: '2027/02/03', time: '10:00', reminders: ['-P1D'] };
  expect(await app.call('POST', '/gateway/profile/caregiver/session', { token, body })).toMatchObject({ status: 201 });
  app.clock.set('2027-02-02T10:30:00Z');
  await app.deliverDueReminders();
  await waitFor(() => app.deliveredMessages.length > 0);
  const scheduler = app.nest.get(Scheduler);
  for (const { name: job } of scheduler.listJobStatuses()) await scheduler.run(job);
  const failed = scheduler.listJobStatuses().filter(({ failures, successes }) => failures > 0 || successes === 0);
  expect(failed).toEqual([]);
}

it('serves requests, sends a reminder and runs all jobs with a login for each part', async () => {
  const own = await createTestDatabase('postgresql');
  if (own.environment.kind !== 'postgresql') throw new Error('needs a server');
  const { migrationUrl } = own.environment;
  const pooler = await startPgbouncer(new URL(migrationUrl), new URL(migrationUrl).pathname.slice(1));
  const pooled = withSeparateLogins({
    ...own.environment,
    url: Object.assign(new URL(own.environment.url), { port: String(pooler.port) }).href,
  });
  const queueUrl = toLoginUrl(`postgres://127.0.0.1:${pooler.port}/queue`, DATABASE_LOGINS.reminders.role);
  const app = await TestApp.startOn({ ...own, environment: { ...pooled, queueUrl } });
  try {
    await serveWithSeparateLogins(app);
  } finally {
    await app.stop();
    await pooler.stop();
  }
});

it('does not start with another login, whose privileges it could not drop', async () => {
  if (database.environment.kind !== 'postgresql') throw new Error('needs a server');
  const started = TestApp.start({ database: { ...database.environment, url: url('postgres', name) } });
  await expect(started).rejects.toThrow(/role "postgres" instead of scheduling_app/);
});
