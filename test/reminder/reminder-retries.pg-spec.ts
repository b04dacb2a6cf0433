import { LockMode } from '@mikro-orm/core';
import { sql } from 'kysely';
import { LogChannel, Reminder, type ReminderMessage } from '../../src/reminder/index.js';
import { DeliveryPacer } from '../../src/reminder/delivery/delivery-pacer.js';
import { TestApp, type ClinicFixture } from '../support/app/test-app.js';

/*
 * Tests that a message that is tried again has the same reminders in each attempt. Receivers drop messages with a known
 * id, so they would lose reminders that a previous attempt did not contain.
 */

const DOWN_SECONDS = 5;

let app: TestApp;
let clinic: ClinicFixture;
let isDown: boolean;
/** The messages to Clients, also those that were refused. */
let attempts: ReminderMessage[];
beforeAll(async () => {
  app = await TestApp.start();
  app.nest.get(LogChannel).deliver = async (message) => {
    if (message.clinicId === clinic.clinicId && message.recipient.kind === 'CLIENT') attempts.push(message);
    if (isDown) throw new Error('down');
    return {};
  };
});
afterAll(() => app.stop());
beforeEach(async () => {
  attempts = [];
  app.clock.set('2026-11-21T10:00:00Z');
  clinic = await app.createClinic();
});
afterEach(() => jest.restoreAllMocks());

/** Plans reminders of Clients that are due now, and delivers them while the channel is down. */
async function planAndFail(...sessionCounts: number[]): Promise<void> {
  for (const [client, sessionCount] of sessionCounts.entries())
    for (let count = sessionCount; count > 0; count -= 100) {
      const body = { clientId: clinic.clientIds[client], title: 'T', date: '2027/03/01', time: '09:30', remindDays: 0 };
      const answer = await app.call('POST', '/gateway/profile/caregiver/session', {
        token: clinic.careProviderToken,
        body: { ...body, sessionCount: Math.min(count, 100) },
      });
      expect(answer.status).toBe(201);
    }
  isDown = true;
  await app.deliverDueReminders();
  isDown = false;
  app.clock.advance({ seconds: DOWN_SECONDS });
}
const findReminders = () =>
  app.asSuperuser((em) =>
    em.find(Reminder, { clinicId: clinic.clinicId, recipientKind: 'CLIENT' }, { orderBy: { id: 'asc' } }),
  );
/** Returns the number of reminders of each attempt, for each message, sorted. */
function countReminders(): number[][] {
  const byId = Map.groupBy(attempts, ({ messageId }) => messageId);
  return [...byId.values()].map((messages) => messages.map(({ items }) => items.length)).sort();
}

it('a message waits while another transaction has locked one of its reminders; others do not wait', async () => {
  await planAndFail(2, 1);
  const [locked] = await findReminders();
  const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
  const { promise: held, resolve: hold } = Promise.withResolvers<undefined>();
  const holding = app.asSuperuser(async (em) => {
    await em.findOneOrFail(Reminder, locked!.id, { lockMode: LockMode.PESSIMISTIC_WRITE });
    hold(undefined);
    await released;
  });
  await held;
  await app.deliverDueReminders();
  expect((await findReminders()).map(({ status }) => status)).toEqual(['PENDING', 'PENDING', 'SENT']);
  release(undefined);
  await holding;
  await app.deliverDueReminders();
  expect((await findReminders()).map(({ status }) => status)).toEqual(['SENT', 'SENT', 'SENT']);
  expect(countReminders()).toEqual([
    [1, 1],
    [2, 2],
  ]);
});

it('a message with more reminders than a claim is claimed as a whole', async () => {
  await planAndFail(250);
  const pacer = app.nest.get(DeliveryPacer);
  jest.spyOn(pacer, 'run').mockImplementation((work) => work(true));
  await app.deliverDueReminders();
  expect(countReminders()).toEqual([[250, 250]]);
});

it('the reminders of a message are tried again together, at the earliest of their times', async () => {
  await planAndFail(3);
  const [first] = await findReminders();
  await app.queryRows(sql`update reminder set send_at = send_at + interval '1 minute' where id = ${first!.id}`);
  await app.deliverDueReminders();
  expect(countReminders()).toEqual([[3, 3]]);
});
