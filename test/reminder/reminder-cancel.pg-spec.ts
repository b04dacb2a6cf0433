import { setTimeout as delay } from 'node:timers/promises';
import { sql, type RawBuilder } from 'kysely';
import pLimit from 'p-limit';
import { CareProvider, Client } from '../../src/directory/index.js';
import { Reminder, ReminderDispatcher, ReminderQueue } from '../../src/reminder/index.js';
import { Scheduler } from '../../src/scheduler/index.js';
import { repetitionCount } from '../support/app/repetitions.js';
import { TestSmtpServer, type ReceivedMail } from '../support/reminder/smtp-server.js';
import { waitFor, TestApp, type ClinicFixture } from '../support/app/test-app.js';

/* Tests Sessions that are cancelled after their reminders were queued. */

const INTAKE_JOB = 'reminder-intake';
const TRIES = repetitionCount('TRIES', 200, 200);
const RACES = repetitionCount('RACES', 50, 50);
const PATH = '/gateway/profile/caregiver/session';

let app: TestApp;
let smtp: TestSmtpServer;
let clinic: ClinicFixture;
let token: string;
beforeEach(async () => {
  smtp = await TestSmtpServer.start();
  // There are few connections, so that the first messages of a test keep all of them busy.
  app = await TestApp.start({ rawVariables: { ...smtp.variables, SMTP_CONNECTIONS: '5' } });
  clinic = await app.createClinic();
  token = clinic.careProviderToken;
  await app.asSuperuser(async (em) => {
    const people = [...(await em.find(Client, {})), ...(await em.find(CareProvider, {}))];
    for (const [index, person] of people.entries()) person.email = `k${index}@example.org`;
  });
});
afterEach(async () => {
  await smtp.stop();
  await app.stop();
});

const limit = pLimit(8);
let createdSessions = 0;
async function createSession(): Promise<number> {
  createdSessions += 1;
  const date = Temporal.PlainDate.from('2027-01-01').add({ days: createdSessions }).toString().replaceAll('-', '/');
  const body = { clientId: clinic.clientIds[0], title: 'T', date, time: '09:30', remindDays: 0 };
  const answer = await app.call('POST', PATH, { token, body });
  expect(answer.status).toBe(201);
  return Number(/(\d+)\.$/.exec((answer.body as { message: string }).message)![1]);
}

/** Cancels a Session. Returns the time of the response in milliseconds of `performance.now()`. */
async function cancel(id: number): Promise<number> {
  const answer = await app.call('POST', `${PATH}/${id}/cancel`, { token, body: { reason: 'CLIENT_REQUEST' } });
  expect(answer.status).toBe(200);
  return performance.now();
}

const dispatch = () => app.nest.get(ReminderDispatcher).dispatchDue();
async function pauseIntake(): Promise<void> {
  await app.nest.get(Scheduler).stop(INTAKE_JOB);
  await app.nest.get(ReminderQueue).pause();
}

async function resumeIntake(): Promise<void> {
  app.nest.get(Scheduler).start(INTAKE_JOB);
  await app.nest.get(Scheduler).run(INTAKE_JOB);
}

const findReminders = (sessionId: number) => app.asSuperuser((em) => em.find(Reminder, { sessionId }));
const findMail = ({ messageId }: Reminder): ReceivedMail | undefined =>
  smtp.mails.find((mail) => mail.messageId === messageId);

async function countJobs(state: RawBuilder<unknown>): Promise<number> {
  const rows = await app.queryRows(sql<{ count: number }>`
    select count(*)::int as count from pgboss.job where name = 'reminder-email' and ${state}`);
  return rows[0]!.count;
}

/** Waits until all jobs are completed, including those of withdrawn reminders. */
const waitForIdleQueue = () => waitFor(async () => (await countJobs(sql`state <> 'completed'`)) === 0);

it(`does not send ${TRIES} of ${TRIES} reminders whose Session is cancelled while they wait for a connection`, async () => {
  const began = app.clock.now();
  const cancelled: number[] = [];
  for (let each = 0; each < TRIES; each += 1) {
    app.clock.advance({ seconds: 1 });
    cancelled.push(await createSession());
  }
  // The first messages keep all connections busy. The other messages have been prepared or wait in the queue.
  app.clock.set(began.toString());
  await smtp.setMode({ kind: 'slow', milliseconds: 120_000, isAlive: true });
  for (let first = 0; first < 5; first += 1) {
    await createSession();
    await dispatch();
  }
  await waitFor(() => smtp.recipientCommands === 5);
  // A worker that fetched only two messages would wait for them, and fetch none of the others. So all are queued first.
  await pauseIntake();
  for (let each = 0; each < TRIES; each += 1) {
    app.clock.advance({ seconds: 1 });
    expect(await dispatch()).toBe(2);
  }
  await resumeIntake();
  // The test waits until the workers have fetched the first messages and many of the others.
  await waitFor(async () => (await countJobs(sql`state = 'active'`)) >= 10 + Math.min(TRIES, 25));
  const done = await Promise.all(cancelled.map((id) => limit(() => cancel(id))));
  expect(done).toHaveLength(TRIES);
  await smtp.setMode({ kind: 'ok' });
  await waitForIdleQueue();

  expect(smtp.mails).toHaveLength(10);
  const reminders = (await Promise.all(cancelled.map(findReminders))).flat();
  expect(reminders).toHaveLength(TRIES * 2);
  expect(new Set(reminders.map(({ status }) => status))).toEqual(new Set(['WITHDRAWN']));
  expect(reminders.filter((reminder) => findMail(reminder) !== undefined)).toEqual([]);
});

it('stores the outcome in the row when the Session is cancelled at any other time', async () => {
  const tries: { id: number; acknowledgedAt: number }[] = [];
  let slowestAnswer = 0;
  for (let each = 0; each < RACES; each += 1) {
    const id = await createSession();
    await dispatch();
    // Each Session is cancelled at a different point of the polling interval.
    await delay((each * 37) % 100);
    const startedAt = performance.now();
    const acknowledgedAt = await cancel(id);
    slowestAnswer = Math.max(slowestAnswer, acknowledgedAt - startedAt);
    tries.push({ id, acknowledgedAt });
  }
  await waitForIdleQueue();

  let sent = 0;
  let worst = -Infinity;
  for (const { id, acknowledgedAt } of tries) {
    for (const reminder of await findReminders(id)) {
      const mail = findMail(reminder);
      expect([id, reminder.status]).toEqual([id, mail === undefined ? 'WITHDRAWN' : 'SENT']);
      expect(reminder.history.filter(({ what }) => what === 'SENT')).toHaveLength(mail === undefined ? 0 : 1);
      if (mail === undefined) continue;
      sent += 1;
      worst = Math.max(worst, mail.startedAt - acknowledgedAt);
    }
  }
  process.stdout.write(`${sent} of ${RACES * 2} were sent, the last began ${worst.toFixed()} ms after the answer\n`);
  // A message cannot be withdrawn between the last check of its row and the write to the socket. On a busy machine this
  // takes longer, as does a response.
  expect(worst).toBeLessThan(Math.max(1_000, 3 * slowestAnswer));
});

it('sends the remaining reminders of a message when one of its Sessions is cancelled', async () => {
  await smtp.setMode({ kind: 'slow', milliseconds: 120_000, isAlive: true });
  for (let first = 0; first < 5; first += 1) {
    await createSession();
    await dispatch();
  }
  await waitFor(() => smtp.recipientCommands === 5);
  const ids = [await createSession(), await createSession(), await createSession()];
  await dispatch();
  await waitFor(async () => (await findReminders(ids[0]!)).every(({ status }) => status === 'QUEUED'));
  await cancel(ids[1]!);
  await smtp.setMode({ kind: 'ok' });
  await waitForIdleQueue();
  const [first, second, third] = await Promise.all(ids.map(findReminders));
  expect([first, second, third].map((own) => own!.map(({ status }) => status))).toEqual([
    ['SENT', 'SENT'],
    ['WITHDRAWN', 'WITHDRAWN'],
    ['SENT', 'SENT'],
  ]);
  for (const reminder of first!) {
    const lines = findMail(reminder)!
      .raw.replaceAll('=\r\n', '')
      .match(/^You have an appointment on .*$/gm);
    expect(lines).toHaveLength(2);
  }
});
