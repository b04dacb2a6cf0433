import pg from 'pg';
import { createApplication } from '../../src/app.setup.js';
import { TestApp } from '../support/app/test-app.js';
import { listUsableTriggerFunctions } from '../support/database/login-privileges.js';
import { createTestDatabase, withSeparateLogins } from '../support/database/test-database.js';
import { expectJobsToSucceed, expectReminderAndSeal } from '../support/operations/service-work.js';

/*
 * A login for each part of the service on a distributed database. test/postgres/logins.pg-spec.ts shows what each login
 * may do at most.
 */

let app: TestApp;
beforeAll(async () => {
  const database = await createTestDatabase('postgresql');
  if (database.environment.kind !== 'postgresql') throw new Error('npm run test:citus has a cluster');
  app = await TestApp.startOn({ ...database, environment: withSeparateLogins(database.environment) });
});
afterAll(() => app.stop());

it('answers requests, sends a reminder and seals the audit trail', () => expectReminderAndSeal(app));

it('runs all jobs', () => expectJobsToSucceed(app));

it('reads the metrics of all Clinics, and is ready', async () => {
  expect((await app.call('GET', '/metrics')).text).toContain('scheduling_metrics_complete 1');
  const ready = await app.call('GET', '/health/ready');
  expect([ready.status, ready.body.details.servers]).toEqual([200, { status: 'up', state: 'in use' }]);
});

it('does not start with a replica, whose lists would be empty', async () => {
  const { database } = app.environment;
  if (database.kind !== 'postgresql') throw new Error('npm run test:citus has a cluster');
  const replica = { url: database.url, maxLag: Temporal.Duration.from({ seconds: 10 }) };
  const starting = createApplication({ ...app.environment, database: { ...database, replica } });
  await expect(starting).rejects.toThrow('The database is distributed, and cannot have a replica');
});

it('has no trigger function of the owner that another role can use, on no server', async () => {
  if (app.environment.database.kind !== 'postgresql') throw new Error('npm run test:citus has a cluster');
  const { pathname } = new URL(app.environment.database.url);
  const usable: unknown[] = [];
  for (const { url } of JSON.parse(process.env['TEST_CITUS_NODES']!) as { url: string }[]) {
    const client = new pg.Client({ connectionString: Object.assign(new URL(url), { pathname }).href });
    await client.connect();
    try {
      usable.push(await listUsableTriggerFunctions(client));
    } finally {
      await client.end();
    }
  }
  expect(usable).toEqual([[], [], []]);
});
