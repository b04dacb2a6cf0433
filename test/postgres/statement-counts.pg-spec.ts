import { isDeferred } from '../../src/shared/persistence/driver/deferred-statement.js';
import { ReminderQueue } from '../../src/reminder/index.js';
import { buildAssignment, buildEightWeeks, createBook, createPlan } from '../support/app/series-fixtures.js';
import { interceptStatements } from '../support/database/statement-interceptor.js';
import { TestApp, type TestResponse, type ClinicFixture } from '../support/app/test-app.js';

/*
 * Measures the cost of a request in numbers that do not depend on the load of the machine: the statements that
 * PostgreSQL executes, and the round trips that the service waits for. An increase of either must be deliberate.
 */

const CAREGIVER = '/gateway/profile/caregiver';
const CLINIC = '/gateway/profile/clinic';
const EVERYTHING = 'client,careProvider,books,progress,reminders,conflicts';

let app: TestApp;
let clinic: ClinicFixture;
let plan: number;
beforeAll(async () => {
  app = await TestApp.start();
  // Stops the queue, because its polling statements would be counted.
  await app.nest.get(ReminderQueue).stop();
  clinic = await app.createClinic();
  plan = await createPlan(app, clinic, { weeks: weeks() });
  // The first Session takes a block of IDs from the sequence, with a statement that the next ones do not need.
  const first = { clientId: clinic.clientIds[0], title: 'First', date: '2041/05/06', time: '10:00' };
  expect((await asCareProvider('POST', '/session', first)).status).toBe(201);
});
afterAll(() => app.stop());

/**
 * Counts the statements of a request and its round trips. Statements that are sent before the previous one is answered
 * share its round trip.
 */
async function costOf(call: () => Promise<TestResponse>) {
  let [statements, roundTrips, unanswered] = [0, 0, 0];
  const isAwaited = (text: string, values: unknown) =>
    !/^(begin|start transaction)\b/.test(text) && !isDeferred(values);
  const untap = await interceptStatements(app, {
    sent: (text, values) => {
      statements += 1;
      if (!isAwaited(text, values)) return;
      if (unanswered === 0) roundTrips += 1;
      unanswered += 1;
    },
    after: (text, values) => {
      if (isAwaited(text, values)) unanswered -= 1;
    },
  });
  const { status } = await call().finally(untap);
  return { status, statements, roundTrips };
}

const asClinic = (method: string, path: string, body?: unknown) => () =>
  app.call(method, `${CLINIC}${path}`, { token: clinic.clinicToken, body });
const asClient = async (path: string) =>
  app.call('GET', `/gateway/profile/client${path}`, { token: await app.createToken('CLIENT', clinic.clientIds[0]) });
const asCareProvider = (method: string, path: string, body?: unknown, headers = {}) =>
  app.call(method, `${CAREGIVER}${path}`, { token: clinic.careProviderToken, body, headers });
const createSessions = (sessionCount: number, date: string) => () =>
  asCareProvider('POST', '/session', {
    clientId: clinic.clientIds[0],
    title: 'Sleep session',
    ...{ date, time: '10:00', sessionCount, remindDays: 7 },
    bookIdList: [clinic.ownBookId, clinic.sharedBookId],
  });

it.each([
  ['create a plan', 201, 5, 3, () => asClinic('POST', '/design-plan', { planName: 'A', weeks: weeks() })],
  ['read a plan', 200, 3, 2, () => asClinic('GET', `/design-plan/${plan}`)],
  ['create one Session', 201, 9, 3, () => createSessions(1, '2027/05/05')],
  ['create ten Sessions', 201, 9, 3, () => createSessions(10, '2027/06/05')],
  ['apply a plan', 201, 11, 6, () => () => asCareProvider('POST', `/design-plan/${plan}/apply`, application())],
  ['list Sessions', 200, 6, 3, () => asClinic('GET', '/session?limit=50')],
  // `include` needs one statement for names and one for all other data. Reminders also need their Sessions.
  ['list Sessions with everything', 200, 8, 4, () => asClinic('GET', `/session?include=${EVERYTHING}`)],
  ['read a Session with names', 200, 8, 4, () => asClinic('GET', '/session/2?include=client,careProvider')],
  // Statements: the reminder, its recipient with Clinic and preferences, the reminders that are due together, and the
  // data for the text.
  ['read the message of a reminder', 200, 10, 8, () => asClinic('GET', '/reminder/1/message')],
  ['list reminders with Sessions', 200, 8, 6, () => asClinic('GET', '/reminder?include=client,books,conflicts')],
  // Statements: the caller's Clinic and zone, the Sessions, their details and the names; also BEGIN, the audit entry
  // and COMMIT.
  ["read a Care Provider's week", 200, 7, 4, () => () => asCareProvider('GET', '/week?from=2027-05-03')],
  ["read a Clinic's week", 200, 7, 4, () => asClinic('GET', '/week?from=2027-05-03')],
  ["read a Client's week", 200, 7, 4, () => () => asClient('/week?from=2027-05-03')],
  ['move a Session', 200, 14, 4, () => () => asCareProvider('PATCH', '/session/2', move, { 'if-match': '"1"' })],
])('to %s answers %i, in %i statements and %i round trips', async (_what, status, statements, roundTrips, callOf) => {
  expect(await costOf(callOf())).toEqual({ status, statements, roundTrips });
});

// Each Session that is kept loses a Book, gets another one, and has a Book with another reminder.
it.each([
  [2, 1],
  [52, 8],
])(
  'revises a series of %i weeks, each of which keeps %i of its Books, in the same number of statements',
  async (count, size) => {
    const books = await Promise.all(Array.from({ length: size + 2 }, () => createBook(app, clinic)));
    const toWeeks = (bookIds: readonly number[], time: string) =>
      Array.from({ length: count }, (_, index) => ({
        ordering: index + 1,
        assignments: bookIds.map((bookId) => buildAssignment(bookId, [2, time])),
      }));
    const id = await createPlan(app, clinic, { weeks: toWeeks(books.slice(0, -1), '07:00') });
    const applied = await asCareProvider('POST', `/design-plan/${id}/apply`, application());
    expect(applied.status).toBe(201);
    const changed = { planName: 'Sleep', weeks: toWeeks(books.slice(1), '08:00') };
    const token = clinic.clinicToken;
    const headers = { 'if-match': '"1"' };
    const replaced = await app.call('PUT', `${CLINIC}/design-plan/${id}`, { token, headers, body: changed });
    expect(replaced.status).toBe(200);
    const revise = asClinic('POST', `/series/${applied.body.seriesId}/revise`, {});
    expect(await costOf(revise)).toEqual({ status: 200, statements: 38, roundTrips: 24 });
  },
);

const weeks = () => buildEightWeeks([clinic.ownBookId, clinic.sharedBookId, clinic.ownBookId]);
const application = () => ({
  clientId: clinic.clientIds[0],
  ...{ date: '2028/01/03', time: '11:00', reminders: ['-P1D'] },
});
const move = { date: '2029/03/05', time: '12:00' };
