import { jest } from '@jest/globals';
import { MikroORM } from '@mikro-orm/core';
import { sql, type RawBuilder } from 'kysely';
import { Reminder, ReminderDispatcher, ReminderQueue, ReminderSweeper } from '../../src/reminder/index.js';
import { RecipientProfiles } from '../../src/reminder/delivery/recipient-profiles.js';
import { OutcomeWriter } from '../../src/reminder/outcome/outcome-writer.js';
import { waitFor, TestApp, type ClinicFixture } from '../support/app/test-app.js';

/* Tests that reminders are queued again if the queue has lost their jobs. */

const PATH = '/gateway/profile/caregiver/session';

let app: TestApp;
let clinic: ClinicFixture;
let fetchJobs: () => void;
beforeEach(async () => {
  app = await TestApp.start({ rawVariables: { QUEUE_POLLING: 'PT24H', QUEUE_SUPERVISION: 'PT1S' } });
  // The worker fetches jobs only when a test asks for it, so that it does not fetch them before they are changed.
  const queue = app.nest.get(ReminderQueue);
  fetchJobs = queue.fetchNow.bind(queue);
  queue.fetchNow = () => undefined;
  clinic = await app.createClinic();
});
afterEach(() => app.stop());

const create = async (change: object): Promise<void> => {
  const body = {
    clientId: clinic.clientIds[0],
    title: 'T',
    date: '2027/03/01',
    time: '09:30',
    remindDays: 0,
    ...change,
  };
  expect((await app.call('POST', PATH, { token: clinic.careProviderToken, body })).status).toBe(201);
};
const findReminders = (status: 'QUEUED' | 'SENT') => app.asSuperuser((em) => em.find(Reminder, { status }));
const sweep = () => app.nest.get(ReminderSweeper).sweep();

const waitForSent = (count: number) =>
  waitFor(async () => {
    fetchJobs();
    return (await findReminders('SENT')).length === count;
  });

/** Dispatches due reminders, and changes their jobs before a worker fetches them. */
async function dispatchAndChangeJobs(change: RawBuilder<unknown>): Promise<void> {
  await app.nest.get(ReminderDispatcher).dispatchDue();
  await app.queryRows(change);
}
const dispatchAndDeleteJobs = () =>
  dispatchAndChangeJobs(
    sql`delete from pgboss.job where name = 'reminder-log' and state = 'created' and start_after < now() + interval '1 minute'`,
  );

it('queues reminders again whose jobs were deleted, and delivers them once', async () => {
  await create({ sessionCount: 3 });
  await create({ clientId: clinic.clientIds[1], date: '2027/05/01' });
  await dispatchAndDeleteJobs();
  const lost = await findReminders('QUEUED');
  expect(lost).toHaveLength(8);
  // Reminders with a waiting job are not changed.
  expect(await sweep()).toBe(0);
  app.clock.advance({ minutes: 3 });
  // Several instances sweep at the same time.
  const swept = await Promise.all([sweep(), sweep()]);
  expect(swept.reduce((sum, each) => sum + each)).toBe(8);
  await waitForSent(8);

  expect(new Set(app.deliveredMessages.map(({ messageId }) => messageId))).toEqual(
    new Set(lost.map((one) => one.messageId)),
  );
  expect(app.deliveredMessages.flatMap(({ items }) => items.map((item) => item.reminderId)).toSorted()).toEqual(
    lost.map(({ id }) => id).toSorted(),
  );
  const [sent] = await findReminders('SENT');
  expect(sent!.history.map(({ what, reason }) => [what, reason])).toEqual([
    ['QUEUED', undefined],
    ['QUEUED', 'JOB_LOST'],
    ['SENT', undefined],
  ]);
  app.clock.advance({ minutes: 3 });
  expect(await sweep()).toBe(0);
});

it('the first sweep of a process queues all reminders without a job again', async () => {
  await create({ sessionCount: 3 });
  await dispatchAndDeleteJobs();
  const lost = await findReminders('QUEUED');
  expect(lost).toHaveLength(6);
  const { nest, clock } = app;
  const providers = [nest.get(ReminderQueue), nest.get(RecipientProfiles), nest.get(OutcomeWriter)] as const;
  expect(await new ReminderSweeper(nest.get(MikroORM).em, ...providers, clock).sweep()).toBe(6);
  await waitForSent(6);
  expect(app.deliveredMessages).toHaveLength(2);
});

it('does not queue a reminder again whose job has used up its attempts and is not marked yet', async () => {
  await create({});
  await dispatchAndChangeJobs(sql`
    update pgboss.job set name = 'reminder-dead', start_after = now() + interval '1 hour' where name = 'reminder-log'`);
  app.clock.advance({ minutes: 3 });
  expect(await sweep()).toBe(0);
  expect(await findReminders('QUEUED')).toHaveLength(2);
});

it('continues after pages of reminders that wait for a later attempt', async () => {
  for (const month of ['01', '02', '03'])
    await create({ sessionCount: 100, time: `0${Number(month)}:30`, date: `2027/${month}/01` });
  await dispatchAndChangeJobs(
    sql`update pgboss.job set start_after = now() + interval '1 hour' where name = 'reminder-log'`,
  );
  expect(await findReminders('QUEUED')).toHaveLength(600);
  await create({ clientId: clinic.clientIds[1], date: '2027/12/24' });
  await dispatchAndDeleteJobs();
  app.clock.advance({ minutes: 3 });
  expect(await sweep()).toBe(2);
  await waitForSent(2);
});

it('searches a large queue for jobs once for thousands of reminders, and finds lost ones after them', async () => {
  await create({});
  await app.nest.get(ReminderDispatcher).dispatchDue();
  await waitForSent(2);
  const waiting = 6_000;
  await app.queryRows(sql`
    insert into reminder (clinic_id, session_id, caregiver_id, recipient_kind, recipient_id, rule, due_at, send_at, status,
      story, created_at, message_id, queued_at)
    select clinic_id, session_id, caregiver_id, 'CLIENT', recipient_id, rule, due_at, send_at, 'QUEUED', '[]', created_at,
      gen_random_uuid(), due_at
    from reminder, generate_series(1, ${waiting}::int) where recipient_kind = 'CLIENT'`);
  await app.queryRows(sql`
    insert into pgboss.job (name, data, start_after)
    select 'reminder', jsonb_build_object('messageId', message_id), now() + interval '1 hour' from reminder
    where status = 'QUEUED'`);
  await create({ clientId: clinic.clientIds[1], date: '2027/12/24' });
  await dispatchAndDeleteJobs();
  app.clock.advance({ minutes: 3 });
  const searching = jest.spyOn(app.nest.get(ReminderQueue), 'findMessageIdsWithLiveJob');
  expect(await sweep()).toBe(2);
  // Two pages, and the check of the lost reminders.
  expect(searching).toHaveBeenCalledTimes(3);
  await waitForSent(4);
});

it('keeps no jobs for a day that have ended, because each search reads them', async () => {
  const findMaintained = () => app.queryRows(sql`select from pgboss.queue where maintain_on is not null`);
  await waitFor(async () => (await findMaintained()).length > 0);
  await app.queryRows(sql`update pgboss.queue set maintain_on = now() - interval '15 minutes'`);
  await app.queryRows(sql`
    insert into pgboss.job (name, state, data, started_on, completed_on, deletion_seconds)
    select name, 'completed', '{}', now() - ended, now() - ended, deletion_seconds
    from pgboss.queue, unnest(array['2 hours', '1 minute']::interval[]) as ended where name = 'reminder-log'`);
  await waitFor(async () => (await app.queryRows(sql`select from pgboss.job`)).length === 1);
});
