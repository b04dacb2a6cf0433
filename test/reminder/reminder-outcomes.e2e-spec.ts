import { sql } from 'kysely';
import { EmailChannel } from '../../src/reminder/channel/email/email.channel.js';
import { MessagePreparation } from '../../src/reminder/delivery/message-preparation.js';
import { ReminderWorker } from '../../src/reminder/delivery/reminder.worker.js';
import { Reminder, ReminderDispatcher, UndeliverableError, type ReminderMessage } from '../../src/reminder/index.js';
import { waitFor, TestApp, type ClinicFixture } from '../support/app/test-app.js';

/* Tests the outcomes of messages that end after something else has changed: a reassignment, or the stop of the instance. */

let app: TestApp;
let clinic: ClinicFixture;
/** The reaction of the mail server to a message. */
let deliver: (message: ReminderMessage) => Promise<void>;
/** Starts the service with this number of connections to the mail server, and creates a Session with two reminders. */
async function start(connections: number): Promise<void> {
  app = await TestApp.start({
    rawVariables: {
      SMTP_URL: 'smtp://127.0.0.1:1',
      SMTP_CONNECTIONS: String(connections),
      MAIL_FROM: 'Clinic <no-reply@care.example.org>',
    },
  });
  app.nest.get(EmailChannel).deliver = async (message) => {
    await deliver(message);
    return {};
  };
  app.clock.set('2026-11-21T10:00:00Z');
  clinic = await app.createClinic();
  const body = { clientId: clinic.clientIds[0], title: 'T', date: '2027/03/01', time: '09:30', remindDays: 0 };
  const token = clinic.careProviderToken;
  expect((await app.call('POST', '/gateway/profile/caregiver/session', { token, body })).status).toBe(201);
}
afterEach(() => app.stop());

const dispatch = () => app.nest.get(ReminderDispatcher).dispatchDue();
const findReminders = () => app.asSuperuser((em) => em.find(Reminder, {}, { orderBy: { id: 'asc' } }));
const getEvents = ({ history }: Reminder) => history.map(({ what }) => what);

it('a reminder that was handed over keeps its new message when the previous one fails', async () => {
  const [clientIsFree, nextIsFree] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const tried: number[] = [];
  await start(5);
  const [previous, next] = clinic.careProviderIds;
  deliver = async ({ recipient: { kind, id } }) => {
    tried.push(id);
    if (kind === 'CLIENT') await clientIsFree.promise;
    else if (id === previous) throw new UndeliverableError('no such mailbox');
    else await nextIsFree.promise;
  };
  // The messages to the Client and to the Care Provider are in the same batch, which ends with the slower one.
  await dispatch();
  await waitFor(() => tried.length === 2);
  const path = `/gateway/profile/clinic/care-provider/${previous}/reassign`;
  const body = { toCareProviderId: next };
  expect((await app.call('POST', path, { token: clinic.clinicToken, body })).status).toBe(200);
  await dispatch();
  await waitFor(() => tried.at(-1) === next);
  clientIsFree.resolve(undefined);
  await waitFor(async () => {
    const rows = await app.queryRows(sql`select from pgboss.job where name = 'reminder-email' and state = 'active'`);
    return rows.length === 1;
  });
  const [, ofCareProvider] = await findReminders();
  expect([ofCareProvider!.status, ofCareProvider!.reason]).toEqual(['QUEUED', null]);
  nextIsFree.resolve(undefined);
  await waitFor(async () => (await findReminders()).every(({ status }) => status === 'SENT'));
  expect((await findReminders()).map(getEvents)).toEqual([
    ['QUEUED', 'HANDED_OVER', 'SENT'],
    ['QUEUED', 'HANDED_OVER', 'QUEUED', 'SENT'],
  ]);
});

it('a reminder that was handed over counts the attempts for its new recipient only', async () => {
  await start(5);
  const [from, toCareProviderId] = clinic.careProviderIds;
  deliver = () => Promise.reject(new Error('the mailbox is full'));
  for (const seconds of [0, 5, 10]) {
    app.clock.advance({ seconds });
    await app.deliverDueReminders();
  }
  const path = `/gateway/profile/clinic/care-provider/${from}/reassign`;
  const body = { toCareProviderId };
  expect((await app.call('POST', path, { token: clinic.clinicToken, body })).status).toBe(200);
  app.clock.advance({ seconds: 20 });
  await app.deliverDueReminders();
  const attempts = (await findReminders()).map(({ history, sendAt }) => [
    history.flatMap(({ attempt = [] }) => attempt),
    sendAt.since(app.clock.now()).total('seconds'),
  ]);
  expect(attempts).toEqual([
    [[1, 2, 3, 4], 40],
    [[1, 2, 3, 1], 5],
  ]);
});

it('a reminder that a stopping instance does not send was not tried', async () => {
  const isFree = Promise.withResolvers<undefined>();
  await start(1);
  deliver = () => isFree.promise;
  const preparation = app.nest.get(MessagePreparation);
  const prepare = preparation.prepare.bind(preparation);
  let prepared = 0;
  preparation.prepare = async (...parameters) => {
    const messages = await prepare(...parameters);
    prepared += messages.size;
    return messages;
  };
  await dispatch();
  // The second message waits for the only connection.
  await waitFor(() => prepared === 2);
  const dueAt = app.clock.now();
  app.clock.advance({ seconds: 3 });
  app.nest.get(ReminderWorker).stop();
  isFree.resolve(undefined);
  await waitFor(async () => (await findReminders()).every(({ status }) => status !== 'QUEUED'));
  const released = (await findReminders()).find(({ status }) => status === 'PENDING')!;
  expect([released.sendAt.toString(), getEvents(released)]).toEqual([dueAt.toString(), ['QUEUED']]);
  // No other instance sends it in time.
  app.clock.advance({ hours: 25 });
  await dispatch();
  const late = (await findReminders()).find(({ id }) => id === released.id)!;
  expect([late.status, late.reason]).toEqual(['SKIPPED', 'TOO_LATE']);
});
