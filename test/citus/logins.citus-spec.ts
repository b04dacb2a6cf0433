import { sql } from 'kysely';
import { AuditSealer } from '../../src/audit/index.js';
import { Scheduler } from '../../src/scheduler/index.js';
import { TestApp, waitFor } from '../support/app/test-app.js';
import { createTestDatabase, withSeparateLogins } from '../support/database/test-database.js';

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

it('answers requests, sends a reminder and seals the audit trail', async () => {
  app.clock.set('2027-02-01T10:00:00Z');
  const { clinicToken: token, clinicId, careProviderIds, clientIds } = await app.createClinic();
  const people = { caregiverId: careProviderIds[0], clientId: clientIds[0] };
  const body = { ...people, title: 'T', date: '2027/02/03', time: '10:00', reminders: ['-P1D'] };
  expect(await app.call('POST', '/gateway/profile/clinic/session', { token, body })).toMatchObject({ status: 201 });
  app.clock.set('2027-02-02T10:30:00Z');
  await app.deliverDueReminders();
  await waitFor(() => app.deliveredMessages.length > 0);
  await app.nest.get(AuditSealer).seal();
  expect(
    await app.queryRows(sql`select sum(entry_count)::int as entries from audit_seal where chain = ${clinicId}`),
  ).toEqual([{ entries: 1 }]);
  expect(await app.queryRows(sql`select distinct status from reminder`)).toEqual([{ status: 'SENT' }]);
}, 60_000);

it('runs all jobs', async () => {
  const scheduler = app.nest.get(Scheduler);
  for (const { name } of scheduler.listJobStatuses()) await scheduler.run(name);
  const statuses = scheduler.listJobStatuses();
  expect(statuses.length).toBeGreaterThan(10);
  expect(statuses.filter(({ failures, successes }) => failures > 0 || successes === 0)).toEqual([]);
}, 60_000);

it('reads the metrics of all Clinics, and is ready', async () => {
  expect((await app.call('GET', '/metrics')).text).toContain('scheduling_metrics_complete 1');
  const ready = await app.call('GET', '/health/ready');
  expect([ready.status, ready.body.details.servers]).toEqual([200, { status: 'up', state: 'in use' }]);
});
