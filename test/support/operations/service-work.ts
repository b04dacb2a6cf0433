import { sql } from 'kysely';
import { AuditSealer } from '../../../src/audit/index.js';
import { Scheduler } from '../../../src/scheduler/index.js';
import { waitFor, type TestApp } from '../app/test-app.js';

/* What a service must be able to do with any set of database logins. */

/** Expects that the service creates a Session of a new Clinic, sends its reminder and seals the audit trail. */
export async function expectReminderAndSeal(app: TestApp): Promise<void> {
  app.clock.set('2027-02-01T10:00:00Z');
  const { clinicToken: token, clinicId, careProviderIds, clientIds } = await app.createClinic();
  const people = { caregiverId: careProviderIds[0], clientId: clientIds[0] };
  const body = { ...people, title: 'T', date: '2027/02/03', time: '10:00', reminders: ['-P1D'] };
  expect(await app.call('POST', '/gateway/profile/clinic/session', { token, body })).toMatchObject({ status: 201 });
  app.clock.set('2027-02-02T10:30:00Z');
  await app.deliverDueReminders();
  await waitFor(() => app.deliveredMessages.length > 0);
  await app.nest.get(AuditSealer).seal();
  const sealed = await app.queryRows(sql<{ entries: number }>`
    select sum(entry_count)::int as entries from audit_seal where chain = ${clinicId}`);
  expect(sealed).toEqual([{ entries: 1 }]);
  expect(await app.queryRows(sql`select distinct status from reminder`)).toEqual([{ status: 'SENT' }]);
}

/** Runs each job once, and expects that all have succeeded. */
export async function expectJobsToSucceed(app: TestApp): Promise<void> {
  const scheduler = app.nest.get(Scheduler);
  for (const { name } of scheduler.listJobStatuses()) await scheduler.run(name);
  const statuses = scheduler.listJobStatuses();
  expect(statuses.length).toBeGreaterThan(10);
  expect(statuses.filter(({ failures, successes }) => failures > 0 || successes === 0)).toEqual([]);
}
