import { setTimeout } from 'node:timers/promises';
import { Reminder, ReminderDispatcher } from '../../src/reminder/index.js';
import { Homework, Session } from '../../src/session/index.js';
import { waitFor, TestApp, type TestResponse, type ClinicFixture } from '../support/app/test-app.js';

/*
 * Tests a Client who completes homework while another caller changes the series. The second transaction must see the
 * result of the first.
 */

const RACES = 50;
const CAREGIVER = '/gateway/profile/caregiver';
const PLANS = '/gateway/profile/clinic/design-plan';

let app: TestApp;
let clinic: ClinicFixture;
let client: string;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.clock.set('2026-11-21T10:00:00Z');
  clinic = await app.createClinic();
  client = await app.createToken('CLIENT', clinic.clientIds[0]);
});

type Case = { seriesId: string; sessionId: number; homeworkId: number };

const content = (bookId: number) => {
  const assignReminds = [2, 5].map((reminderDay) => ({ reminderDay, time: '20:00' }));
  return { planName: 'One week', weeks: [{ assignments: [{ bookId, assignReminds }] }] };
};

/** Creates a series with a single Session for each race. The Session has one Book with two reminders. */
async function series(): Promise<{ plan: string; cases: Case[] }> {
  const created = await app.call('POST', PLANS, { token: clinic.clinicToken, body: content(clinic.ownBookId) });
  const id = created.headers.get('location')!.split('/').at(-1)!;
  const body = { clientId: clinic.clientIds[0], date: '2027/03/01', time: '09:30' };
  const cases: Case[] = [];
  for (let race = 0; race < RACES; race += 1) {
    const applied = await staff(`design-plan/${id}/apply`, body);
    const sessionId = applied.body.sessions[0].id as number;
    const homework = await app.asSuperuser((em) => em.findOneOrFail(Homework, { sessionId }));
    cases.push({ seriesId: applied.body.seriesId, sessionId, homeworkId: homework.id });
  }
  return { plan: `${PLANS}/${id}`, cases };
}

const staff = (path: string, body: object = {}) =>
  app.call('POST', `${CAREGIVER}/${path}`, { token: clinic.careProviderToken, body });
const own = ({ homeworkId }: Case, step: 'complete' | 'undo') =>
  app.call('POST', `/gateway/profile/client/homework/${homeworkId}/${step}`, { token: client });

/** Sends all requests at nearly the same time. The lead of the first one varies between races. */
async function race(
  number: number,
  first: () => Promise<TestResponse>,
  ...others: (() => Promise<TestResponse>)[]
): Promise<TestResponse[]> {
  const lead = (number % 10) * 10 - 45;
  const after = (milliseconds: number, run: () => Promise<TestResponse>) =>
    milliseconds > 0 ? setTimeout(milliseconds).then(run) : run();
  return Promise.all([after(-lead, first), ...others.map((run) => after(lead, run))]);
}

async function outcome({ sessionId, homeworkId }: Case) {
  return app.asSuperuser(async (em) => {
    const session = await em.findOneOrFail(Session, { id: sessionId });
    const homework = await em.findOne(Homework, { id: homeworkId });
    const reminders = await em.find(Reminder, { sessionId }, { orderBy: { id: 'asc' } });
    const days = reminders.map(
      ({ dueAt }) => dueAt.toZonedDateTimeISO('UTC').toPlainDate().since(session.plannedDate).days,
    );
    return {
      status: session.status,
      isThere: homework !== null,
      isDone: homework !== null && homework.completedAt !== null,
      reminders: reminders.map(({ status, reason }) => reason ?? status),
      days,
    };
  });
}

/** Expects that each request was first in some of the races; otherwise, they did not compete. */
function expectBoth(done: number): void {
  process.stdout.write(`done first in ${done} of ${RACES} races\n`);
  expect(done).toBeGreaterThan(0);
  expect(done).toBeLessThan(RACES);
}

it(`done or cancelled, in ${RACES} races: one of the two is told, and no reminder stays`, async () => {
  const { cases } = await series();
  let done = 0;
  for (const [number, one] of cases.entries()) {
    const [completed, cancelled] = await race(
      number,
      () => own(one, 'complete'),
      () => staff(`session/${one.sessionId}/cancel`, { reason: 'OTHER' }),
    );
    expect([200, 409]).toContain(completed!.status);
    expect(cancelled!.status).toBe(200);
    const isDone = completed!.status === 200;
    if (isDone) done += 1;
    expect(await outcome(one)).toMatchObject({
      ...{ status: 'CANCELLED', isDone, reminders: ['SESSION_CANCELLED', 'SESSION_CANCELLED'] },
    });
    // After the undo, the Session has reminders for homework that is not done.
    expect((await staff(`session/${one.sessionId}/undo`)).status).toBe(200);
    const reason = isDone ? 'HOMEWORK_DONE' : 'PENDING';
    expect(await outcome(one)).toMatchObject({ status: 'SCHEDULED', isDone, reminders: [reason, reason] });
  }
  expectBoth(done);
});

it(`all of it at once, in ${RACES} races: reminders agree with what has become of homework and Session`, async () => {
  const { cases } = await series();
  for (const [number, one] of cases.entries()) {
    const answers = await race(
      number,
      () => own(one, 'complete'),
      () => staff(`session/${one.sessionId}/cancel`, { reason: 'OTHER' }),
      () => own(one, number % 2 === 0 ? 'undo' : 'complete'),
      () => staff(`series/${one.seriesId}/shift`, { days: 1 }),
      () => staff(`session/${one.sessionId}/undo`),
    );
    for (const { status } of answers) expect([200, 409]).toContain(status);
    const { status, isDone, reminders, days } = await outcome(one);
    const expected = status === 'CANCELLED' ? 'SESSION_CANCELLED' : isDone ? 'HOMEWORK_DONE' : 'PENDING';
    expect(reminders).toEqual([expected, expected]);
    expect(days).toEqual([1, 4]);
  }
});

it(`done or taken out by a newer plan, in ${RACES} races: what was told to be done is kept`, async () => {
  const { plan, cases } = await series();
  const headers = { 'if-match': '"1"' };
  const body = content(clinic.sharedBookId);
  expect((await app.call('PUT', plan, { token: clinic.clinicToken, body, headers })).status).toBe(200);
  let done = 0;
  for (const [number, one] of cases.entries()) {
    const [completed, revised] = await race(
      number,
      () => own(one, 'complete'),
      () => staff(`series/${one.seriesId}/revise`),
    );
    expect([200, 404]).toContain(completed!.status);
    expect(revised!.status).toBe(200);
    const isDone = completed!.status === 200;
    if (isDone) done += 1;
    const reason = isDone ? 'HOMEWORK_DONE' : 'HOMEWORK_REMOVED';
    // The last two reminders belong to the replacement Book.
    expect(await outcome(one)).toMatchObject({
      ...{ isThere: isDone, isDone, reminders: [reason, reason, 'PENDING', 'PENDING'] },
    });
  }
  expectBoth(done);
});

it(`done when its reminder is due, in ${RACES} races: the reminder is sent or withdrawn, and never waits`, async () => {
  const { cases } = await series();
  app.clock.set('2027-03-02T20:00:00Z');
  const dispatcher = app.nest.get(ReminderDispatcher);
  const answers = await Promise.all([
    ...cases.map((one) => own(one, 'complete')),
    ...cases.map(() => dispatcher.dispatchDue().then(() => ({ status: 200 }))),
  ]);
  for (const { status } of answers) expect(status).toBe(200);
  for (const one of cases) {
    await waitFor(async () => (await outcome(one)).reminders[0] !== 'QUEUED');
    const { reminders, isDone } = await outcome(one);
    expect([isDone, reminders[1]]).toEqual([true, 'HOMEWORK_DONE']);
    expect(['SENT', 'HOMEWORK_DONE']).toContain(reminders[0]);
  }
});
