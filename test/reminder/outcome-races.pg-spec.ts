import { DeadLetterWriter } from '../../src/reminder/outcome/dead-letter-writer.js';
import { MessagePreparation } from '../../src/reminder/delivery/message-preparation.js';
import { Reminder, ReminderDispatcher, ReminderQueue } from '../../src/reminder/index.js';
import { Scheduler } from '../../src/scheduler/index.js';
import { TestApp, type ClinicFixture } from '../support/app/test-app.js';
import { interceptStatements } from '../support/database/statement-interceptor.js';

/* A Session moves, and its reminders are queued with a new message, while an outcome of their former message is written. */

const SESSIONS = '/gateway/profile/caregiver/session';

let app: TestApp;
let clinic: ClinicFixture;
beforeAll(async () => {
  app = await TestApp.start();
  await app.nest.get(Scheduler).stop();
  await app.nest.get(ReminderQueue).pause();
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.clock.set('2026-11-21T10:00:00Z');
  clinic = await app.createClinic();
});

const callSessions = (method: string, path: string, body: object) => {
  const headers = { ...(method === 'PATCH' && { 'if-match': '"1"' }) };
  return app.call(method, SESSIONS + path, { token: clinic.careProviderToken, body, headers });
};
const dispatch = () => app.nest.get(ReminderDispatcher).dispatchDue();
const findReminders = () =>
  app.asSuperuser((em) => em.find(Reminder, { clinicId: clinic.clinicId }, { orderBy: { id: 'asc' } }));

it.each([
  ['is too late', (ids: string[]) => app.nest.get(MessagePreparation).prepare(ids, undefined)],
  [
    'has used up its attempts',
    (ids: string[]) =>
      app.nest.get(DeadLetterWriter).write(ids.map((messageId) => ({ messageId, clinicId: clinic.clinicId }))),
  ],
])('a reminder that is queued again is kept, although its former message %s', async (_case, write) => {
  const body = { clientId: clinic.clientIds[0], title: 'T', date: '2027/03/01', time: '09:30', reminders: ['-PT1H'] };
  expect((await callSessions('POST', '', body)).status).toBe(201);
  app.clock.set('2027-03-01T08:30:00Z');
  expect(await dispatch()).toBe(2);
  const former = await findReminders();
  app.clock.set('2027-03-01T10:00:00Z');

  let hasMoved = false;
  const untap = await interceptStatements(app, {
    before: async (statement) => {
      if (hasMoved || !/update reminder set\s+status = change.status/.test(statement)) return;
      hasMoved = true;
      const moved = await callSessions('PATCH', `/${former[0]!.sessionId}`, { date: '2027/03/01', time: '11:01' });
      expect(moved.status).toBe(200);
      app.clock.advance({ minutes: 1 });
      expect(await dispatch()).toBe(2);
    },
  });
  await write(former.map(({ messageId }) => messageId!)).finally(untap);
  await app.nest.get(Scheduler).stop();

  expect(hasMoved).toBe(true);
  const present = await findReminders();
  expect(present.map(({ status }) => status)).toEqual(['QUEUED', 'QUEUED']);
  for (const [index, { messageId }] of present.entries()) expect(messageId).not.toBe(former[index]!.messageId);
});
