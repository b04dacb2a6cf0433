import { MikroORM } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { ReminderQueue, ReminderSweeper } from '../../src/reminder/index.js';
import { Scheduler } from '../../src/scheduler/index.js';
import { forkForActor } from '../../src/shared/persistence/index.js';
import { TestApp, waitFor } from '../support/app/test-app.js';

/* Jobs that were queued before the database was distributed. They name no Clinic. */

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
  await app.nest.get(Scheduler).stop();
});
afterAll(() => app.stop());

const countLiveJobs = async () => {
  const [row] = await app.queryRows(sql<{ count: number }>`
    select count(*)::int as count from pgboss.job where state in ('created', 'retry', 'active')`);
  return row!.count;
};

/** Queues the message of each reminder of a Clinic without naming the Clinic, as after an attempt that was interrupted. */
async function queueWithoutClinic(clinicId: number): Promise<void> {
  const rows = await app.queryRows(sql<{ messageId: string }>`
    update reminder set status = 'QUEUED', message_id = md5(id::text)::uuid, queued_at = '2020-01-01Z'
    where clinic_id = ${clinicId} returning message_id as "messageId"`);
  await forkForActor(app.nest.get(MikroORM).em, { role: 'REMINDERS' }).transactional(async (em) => {
    await app.nest.get(ReminderQueue).insert(
      em,
      rows.map(({ messageId }) => ({ messageId, channel: 'LOG' })),
    );
    await sql`update pgboss.job set retry_count = 1`.execute((em as SqlEntityManager).getKysely());
  });
}

it('end, and their reminders are queued again and sent', async () => {
  const { clinicId, clientIds, careProviderToken: token } = await app.createClinic();
  const body = { clientId: clientIds[0], title: 'Talk', date: '2030/01/01', time: '09:00', remindDays: 0 };
  expect((await app.call('POST', '/gateway/profile/caregiver/session', { token, body })).status).toBe(201);
  await queueWithoutClinic(clinicId);
  await waitFor(async () => (await countLiveJobs()) === 0);

  await app.nest.get(ReminderSweeper).sweep();
  await waitFor(async () => {
    const statuses = await app.queryRows(sql<{ status: string }>`
      select status from reminder where clinic_id = ${clinicId}`);
    return statuses.length === 2 && statuses.every(({ status }) => status === 'SENT');
  });
  expect(app.deliveredMessages).toHaveLength(2);
});
