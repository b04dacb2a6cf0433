import { sql } from 'kysely';
import { MikroORM } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Reminder, ReminderChannel, ReminderDispatcher, ReminderQueue } from '../src/reminder/index.js';
import { waitFor, World, type ClinicFixture } from './support/world.js';

const PATH = '/gateway/profile/caregiver/session';

let world: World;
let clinic: ClinicFixture;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());
beforeEach(async () => {
  world.clock.set('2026-11-21T10:00:00Z');
  clinic = await world.clinic();
});

const create = async (change: object): Promise<void> => {
  const body = { clientId: clinic.clientIds[0], title: 'T', date: '2027/03/01', time: '09:30', ...change };
  expect((await world.call('POST', PATH, { token: clinic.careProviderToken, body })).status).toBe(201);
};
const reminders = () =>
  world.database((em) => em.find(Reminder, { clinicId: clinic.clinicId }, { orderBy: { id: 'asc' } }));
const statuses = async () => (await reminders()).map((reminder) => reminder.status);
const queuedJobs = async (ids: number[]): Promise<number> => {
  const kysely = (world.app.get(MikroORM).em.fork() as SqlEntityManager).getKysely();
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pgboss.job where (data->>'reminderId')::bigint = any(${ids})`.execute(kysely);
  return rows[0]!.count;
};

it('a reminder of the far future is not in the queue; a due one is, once', async () => {
  await create({ remindDays: 3000 });
  await create({ remindDays: 0, date: '2027/03/02' });
  await world.deliverDue();
  const ids = (await reminders()).map((reminder) => reminder.id);
  expect(await queuedJobs(ids.slice(0, 2))).toBe(0);
  expect(await queuedJobs(ids.slice(2))).toBe(2);
  expect(await statuses()).toEqual(['PENDING', 'PENDING', 'SENT', 'SENT']);
});

it('claiming and queueing are one: when the queue refuses, the reminders stay due', async () => {
  await create({ remindDays: 0 });
  const queue = world.app.get(ReminderQueue);
  const insert = queue.insert.bind(queue);
  queue.insert = async (em, ids) => {
    await insert(em, ids);
    throw new Error('the connection broke');
  };
  await expect(world.app.get(ReminderDispatcher).dispatchDue()).rejects.toThrow('the connection broke');
  queue.insert = insert;
  expect(await statuses()).toEqual(['PENDING', 'PENDING']);
  expect(await queuedJobs((await reminders()).map((reminder) => reminder.id))).toBe(0);
  expect(await world.deliverDue()).toBe(2);
});

it('a recipient who cannot be reached does not hold up another, and is tried again', async () => {
  const channel = world.app.get(ReminderChannel);
  const deliver = channel.deliver.bind(channel);
  let failures = 0;
  channel.deliver = async (message) => {
    if (message.recipient.kind === 'CLIENT' && failures < 1) {
      failures += 1;
      throw new Error('no such mailbox');
    }
    await deliver(message);
  };
  await create({ remindDays: 0 });
  await world.app.get(ReminderDispatcher).dispatchDue();
  await waitFor(async () => (await statuses())[1] === 'SENT');
  expect((await statuses())[0]).toBe('QUEUED');
  await waitFor(async () => (await statuses())[0] === 'SENT');
  channel.deliver = deliver;
  expect(failures).toBe(1);
});

it('a second job for a reminder that has been delivered does nothing', async () => {
  await create({ remindDays: 0 });
  await world.deliverDue();
  const before = world.delivered.length;
  const ids = (await reminders()).map((reminder) => reminder.id);
  await world.database((em) => world.app.get(ReminderQueue).insert(em, ids));
  await waitFor(async () => {
    const kysely = (world.app.get(MikroORM).em.fork() as SqlEntityManager).getKysely();
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from pgboss.job
      where state = 'completed' and (data->>'reminderId')::bigint = any(${ids})`.execute(kysely);
    return rows[0]!.count === 4;
  });
  expect(world.delivered).toHaveLength(before);
});

it('a message carries ids and nothing of a person', async () => {
  await create({ remindDays: 0, title: 'canary-title', description: 'canary-description' });
  await world.deliverDue();
  const [reminder] = await reminders();
  const message = world.delivered.find((each) => each.messageId === `reminder-${reminder!.id}`)!;
  expect(Object.keys(message).toSorted()).toEqual(['clinicId', 'dueAt', 'messageId', 'recipient', 'sessionId']);
  const kysely = (world.app.get(MikroORM).em.fork() as SqlEntityManager).getKysely();
  const { rows } = await sql<{ data: unknown }>`select data from pgboss.job`.execute(kysely);
  expect(JSON.stringify([world.delivered, rows])).not.toContain('canary');
});
