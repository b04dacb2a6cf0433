import { sql } from 'kysely';
import { LogChannel, Reminder, ReminderDispatcher, ReminderQueue } from '../../src/reminder/index.js';
import { ReminderWorker } from '../../src/reminder/delivery/reminder.worker.js';
import { isDistributed } from '../support/database/one-server-tests.js';
import { waitFor, TestApp, type ClinicFixture } from '../support/app/test-app.js';

const PATH = '/gateway/profile/caregiver/session';

let app: TestApp;
let clinic: ClinicFixture;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.clock.set('2026-11-21T10:00:00Z');
  clinic = await app.createClinic();
});

const create = async (change: object): Promise<void> => {
  const body = { clientId: clinic.clientIds[0], title: 'T', date: '2027/03/01', time: '09:30', ...change };
  expect((await app.call('POST', PATH, { token: clinic.careProviderToken, body })).status).toBe(201);
};
const findReminders = () =>
  app.asSuperuser((em) => em.find(Reminder, { clinicId: clinic.clinicId }, { orderBy: { id: 'asc' } }));
const findStatuses = async () => (await findReminders()).map((reminder) => reminder.status);
/** Returns the number of jobs that were created for the messages with these IDs. */
const countJobs = async (ids: (string | null)[]): Promise<number> => {
  const rows = await app.queryRows(sql<{ count: number }>`
    select count(*)::int as count from pgboss.job where data->>'messageId' = any(${ids})`);
  return rows[0]!.count;
};

it('queues a due reminder once, and a future one not at all', async () => {
  await create({ remindDays: 3000 });
  await create({ remindDays: 0, date: '2027/03/02' });
  await app.deliverDueReminders();
  const ids = (await findReminders()).map((reminder) => reminder.messageId);
  expect(ids.slice(0, 2)).toEqual([null, null]);
  expect(await countJobs(ids.slice(2))).toBe(2);
  expect(await findStatuses()).toEqual(['PENDING', 'PENDING', 'SENT', 'SENT']);
});

it('claims and queues in one transaction: when the queue fails, the reminders stay due', async () => {
  await create({ remindDays: 0 });
  const queue = app.nest.get(ReminderQueue);
  const insert = queue.insert.bind(queue);
  queue.insert = async (em, messages) => {
    await insert(em, messages);
    throw new Error('the connection broke');
  };
  await expect(app.nest.get(ReminderDispatcher).dispatchDue()).rejects.toThrow('the connection broke');
  queue.insert = insert;
  expect(await findStatuses()).toEqual(['PENDING', 'PENDING']);
  expect(await countJobs((await findReminders()).map((reminder) => reminder.messageId))).toBe(0);
  expect(await app.deliverDueReminders()).toBe(2);
});

it('tries a recipient again who cannot be reached, without a delay for others', async () => {
  const channel = app.nest.get(LogChannel);
  const deliver = channel.deliver.bind(channel);
  let failures = 0;
  channel.deliver = async (message) => {
    if (message.recipient.kind === 'CLIENT' && failures < 1) {
      failures += 1;
      throw new Error('no such mailbox');
    }
    return deliver(message);
  };
  await create({ remindDays: 0 });
  await app.nest.get(ReminderDispatcher).dispatchDue();
  await waitFor(async () => (await findStatuses())[1] === 'SENT');
  await waitFor(async () => (await findStatuses())[0] === 'PENDING');
  app.clock.advance({ seconds: 5 });
  await app.deliverDueReminders();
  expect((await findStatuses())[0]).toBe('SENT');
  channel.deliver = deliver;
  expect(failures).toBe(1);
});

it('a second job of a delivered reminder does nothing', async () => {
  await create({ remindDays: 0 });
  await app.deliverDueReminders();
  const before = app.deliveredMessages.length;
  const ids = (await findReminders()).map((reminder) => reminder.messageId!);
  const messages = ids.map((messageId) => ({ messageId, channel: 'LOG' }));
  await app.asSuperuser((em) => app.nest.get(ReminderQueue).insert(em, messages));
  await waitFor(async () => {
    const rows = await app.queryRows(sql<{ count: number }>`
      select count(*)::int as count from pgboss.job
      where state = 'completed' and data->>'messageId' = any(${ids})`);
    return rows[0]!.count === 4;
  });
  expect(app.deliveredMessages).toHaveLength(before);
});

it('a batch that fails leaves the name of its error in the queue, not the message, which can contain values', async () => {
  const worker = app.nest.get(ReminderWorker);
  const deliverBatch = worker.deliverBatch.bind(worker);
  worker.deliverBatch = () => Promise.reject(new TypeError('canary of a row'));
  await create({ remindDays: 0 });
  await app.nest.get(ReminderDispatcher).dispatchDue();
  const ids = (await findReminders()).map((reminder) => reminder.messageId!);
  const outputs = () =>
    app.queryRows(sql<{ output: string }>`
      select output::text as output from pgboss.job where output is not null and data->>'messageId' = any(${ids})`);
  await waitFor(async () => (await outputs()).length === 2);
  worker.deliverBatch = deliverBatch;
  for (const { output } of await outputs()) {
    expect(output).toContain('TypeError');
    expect(output).not.toContain('canary');
  }
  await waitFor(async () => (await findStatuses()).every((status) => status === 'SENT'));
});

it('creates one message per recipient, and a job that contains only its id', async () => {
  await create({ remindDays: 0, sessionCount: 8, title: 'canary-title', description: 'canary-description' });
  await app.deliverDueReminders();
  const messages = app.deliveredMessages.filter(({ clinicId }) => clinicId === clinic.clinicId);
  expect(messages.map(({ recipient, items }) => [recipient.kind, items.length]).toSorted()).toEqual([
    ['CARE_PROVIDER', 8],
    ['CLIENT', 8],
  ]);
  const rows = await app.queryRows(
    sql<{ data: { clinicId?: number } }>`select data from pgboss.job where name = 'reminder-log'`,
  );
  for (const { data } of rows) {
    const { clinicId, ...others } = data;
    expect(Object.keys(others)).toEqual(['messageId']);
    // On a distributed database, the job also names the Clinic of the message.
    if (!isDistributed) expect(clinicId).toBeUndefined();
  }
  expect(JSON.stringify(messages)).not.toContain('canary');
});
