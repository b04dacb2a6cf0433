import { Book, Client } from '../../src/directory/index.js';
import { Reminder, ReminderService } from '../../src/reminder/index.js';
import { Homework, Session } from '../../src/session/index.js';
import { interceptStatements } from '../support/database/statement-interceptor.js';
import { listEncryptedColumns } from '../support/app/encrypted-columns.js';
import { buildAssignment, createPlan } from '../support/app/series-fixtures.js';
import { waitFor, TestApp, type TestResponse, type ClinicFixture } from '../support/app/test-app.js';

/* Tests the homework of a Client, and its progress as Care Providers and Clinics see it. */

const SESSIONS = '/gateway/profile/client/session';
const HOMEWORK = '/gateway/profile/client/homework';
const CAREGIVER = '/gateway/profile/caregiver';
const CLINIC = '/gateway/profile/clinic';

let app: TestApp;
let clinic: ClinicFixture;
let token: string;
let seriesId: string;
/** IDs of the Sessions of an applied plan, on Monday 1, 8 and 15 March 2027 at 09:30 in London. */
let sessionIds: number[];
/** IDs of their homework: two of the first Session, one of the second, one of the third. */
let homeworkIds: number[];

beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.clock.set('2026-11-21T10:00:00Z');
  clinic = await app.createClinic();
  token = await app.createToken('CLIENT', clinic.clientIds[0]);
  ({ seriesId, sessionIds } = await apply());
  homeworkIds = (await stored()).map(({ id }) => id);
});

const remind = (...days: number[]) => days.map((reminderDay) => ({ reminderDay, time: '20:00' }));

/**
 * Applies a plan of three weeks. The first week has the Clinic's own Book with two reminders and a shared Book; the
 * others have one Book each.
 */
async function apply(change: object = {}, at = clinic): Promise<{ seriesId: string; sessionIds: number[] }> {
  const own = { bookId: at.ownBookId, assignReminds: remind(2, 5) };
  const shared = { bookId: at.sharedBookId, assignReminds: remind(4) };
  const body = {
    planName: 'Sleep',
    weeks: [{ assignments: [own, shared] }, { assignments: [own] }, { assignments: [shared] }],
  };
  const plan = await app.call('POST', `${CLINIC}/design-plan`, { token: at.clinicToken, body });
  const planId = plan.headers.get('location')!.split('/').at(-1)!;
  const applied = await app.call('POST', `${CAREGIVER}/design-plan/${planId}/apply`, {
    token: at.careProviderToken,
    body: { clientId: at.clientIds[0], date: '2027/03/01', time: '09:30', ...change },
  });
  expect(applied.status).toBe(201);
  return {
    seriesId: applied.body.seriesId,
    sessionIds: applied.body.sessions.map((session: { id: number }) => session.id),
  };
}

const stored = () =>
  app.asSuperuser((em) => em.find(Homework, { clinicId: clinic.clinicId }, { orderBy: { id: 'asc' } }));
const remindersOf = (homeworkId: number) =>
  app.asSuperuser((em) => em.find(Reminder, { homeworkId }, { orderBy: { id: 'asc' } }));
const states = async (homeworkId: number) =>
  (await remindersOf(homeworkId)).map(({ status, reason }) => reason ?? status);
const get = (path: string, as = token) => app.call('GET', path, { token: as });
const step = (id: number | undefined, what: 'complete' | 'undo', as = token) =>
  app.call('POST', `${HOMEWORK}/${id}/${what}`, { token: as });
const staff = (path: string, body?: object) =>
  app.call('POST', `${CAREGIVER}/${path}`, { token: clinic.careProviderToken, body });
const cancel = async (sessionId: number | undefined, query = '') =>
  expect((await staff(`session/${sessionId}/cancel${query}`, { reason: 'ILLNESS', note: 'canary' })).status).toBe(200);
const list = async (query = ''): Promise<TestResponse['body'][]> => {
  const answer = await get(`${HOMEWORK}${query}`);
  expect(answer.status).toBe(200);
  return answer.body.items;
};

/** Counts the statements of a request. */
async function statements(call: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const untap = await interceptStatements(app, {
    before: (statement) => void (count += statement.includes('pgboss') ? 0 : 1),
  });
  await call().finally(untap);
  return count;
}

describe('the Sessions of its series', () => {
  it.each([
    ['list', () => list()],
    [
      'reminder',
      () => {
        app.clock.set('2027-03-02T20:00:00Z');
        return app.deliverDueReminders();
      },
    ],
  ])('are read without their texts for a %s', async (_, call) => {
    const seen: string[] = [];
    const untap = await interceptStatements(app, { before: (statement) => void seen.push(statement) });
    await call().finally(untap);
    const reads = seen.filter((statement) => /from "session" where .*"series_id"/.test(statement));
    expect(reads.length).toBeGreaterThan(0);
    for (const column of listEncryptedColumns(app, Session))
      expect(reads).not.toContainEqual(expect.stringContaining(`"${column}"`));
  });
});

describe('my Sessions', () => {
  it('are listed in the order of their start, with homework and its completion', async () => {
    await step(homeworkIds[0], 'complete');
    const answer = await get(SESSIONS);
    expect(answer.headers.get('cache-control')).toBe('max-age=1, no-cache, no-store');
    expect(answer.body.items.map(({ id }: { id: number }) => id)).toEqual(sessionIds);
    expect(answer.body.items[0]).toEqual({
      ...{ id: sessionIds[0], caregiverId: clinic.careProviderIds[0], title: 'Sleep', description: null },
      ...{ date: '2027/03/01', time: '09:30', timeZone: 'Europe/London', durationMinutes: 50, status: 'SCHEDULED' },
      ...{ version: 1, startsAt: '2027-03-01T09:30:00.000Z', endsAt: '2027-03-01T10:20:00.000Z' },
      homework: [
        { id: homeworkIds[0], bookId: clinic.ownBookId, bookTitle: 'Own', completedAt: '2026-11-21T10:00:00.000Z' },
        { id: homeworkIds[1], bookId: clinic.sharedBookId, bookTitle: 'Shared', completedAt: null },
      ],
      progress: { done: 1, total: 2 },
    });
    expect((await get(`${SESSIONS}/${sessionIds[0]}`)).body).toEqual(answer.body.items[0]);
  });

  it('contain neither overlaps nor cancellation reasons', async () => {
    await apply();
    await cancel(sessionIds[0]);
    const { body, text } = await get(`${SESSIONS}/${sessionIds[0]}`);
    expect(body.status).toBe('CANCELLED');
    expect(text).not.toMatch(/canary|ILLNESS|conflict/);
  });

  it('are limited by each filter, and have pages', async () => {
    await cancel(sessionIds[1]);
    const ids = async (query: string) =>
      (await get(`${SESSIONS}?${query}`)).body.items.map(({ id }: { id: number }) => id);
    expect(await ids('from=2027-03-01T09:30:00Z&to=2027-03-15T09:30:00Z')).toEqual(sessionIds.slice(0, 2));
    expect(await ids('status=CANCELLED')).toEqual([sessionIds[1]]);
    const first = await get(`${SESSIONS}?limit=2`);
    expect(await ids(`limit=2&cursor=${first.body.nextCursor}`)).toEqual([sessionIds[2]]);
  });

  it.each(['limit=0', 'cursor=x', 'from=x', 'to=2027-01-01', 'status=GONE'])('refuse %s', async (query) => {
    const answer = await get(`${SESSIONS}?${query}`);
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, `/${query.split('=')[0]!}`]);
  });

  it('are not shown to another Client, of the Clinic or of another', async () => {
    const other = await app.createClinic();
    for (const clientId of [clinic.clientIds[1], other.clientIds[0]]) {
      const stranger = await app.createToken('CLIENT', clientId);
      expect((await get(SESSIONS, stranger)).body.items).toEqual([]);
      const [foreign, absent] = [
        await get(`${SESSIONS}/${sessionIds[0]}`, stranger),
        await get(`${SESSIONS}/999999999`, stranger),
      ];
      expect(foreign.status).toBe(404);
      expect({ ...foreign.body, instance: '' }).toEqual({ ...absent.body, instance: '' });
    }
  });
});

describe('a refused caller', () => {
  const calls = () => [
    ['GET', SESSIONS],
    ['GET', `${SESSIONS}/${sessionIds[0]}`],
    ['GET', HOMEWORK],
    ['POST', `${HOMEWORK}/${homeworkIds[0]}/complete`],
    ['POST', `${HOMEWORK}/${homeworkIds[0]}/undo`],
  ];

  it('has no token, another role, or a deactivated record', async () => {
    await app.asSuperuser((em) => em.nativeUpdate(Client, { id: clinic.clientIds[0] }, { active: false }));
    for (const [method, path] of calls()) {
      expect((await app.call(method!, path!)).status).toBe(401);
      for (const refused of [clinic.clinicToken, clinic.careProviderToken, await app.createToken('ADMIN'), token])
        expect((await app.call(method!, path!, { token: refused })).status).toBe(403);
    }
    expect((await stored()).every(({ completedAt }) => completedAt === null)).toBe(true);
  });
});

describe('my homework', () => {
  it('is listed by the start of its Session, with its due date and upcoming reminders', async () => {
    const items = await list();
    expect(items.map(({ id }) => id)).toEqual(homeworkIds);
    expect(items[0]).toEqual({
      ...{ id: homeworkIds[0], sessionId: sessionIds[0], bookId: clinic.ownBookId, bookTitle: 'Own' },
      ...{ dueDate: '2027/03/08', timeZone: 'Europe/London', paused: false, completedAt: null, version: 4 },
      remindersAhead: [
        {
          ...{ dueAt: '2027-03-02T20:00:00.000Z', date: '2027/03/02', time: '20:00', timeZone: 'Europe/London' },
          sendAt: '2027-03-02T20:00:00.000Z',
        },
        {
          ...{ dueAt: '2027-03-05T20:00:00.000Z', date: '2027/03/05', time: '20:00', timeZone: 'Europe/London' },
          sendAt: '2027-03-05T20:00:00.000Z',
        },
      ],
    });
    // Homework of the last Session is due one interval later.
    expect(items.map(({ dueDate }) => dueDate)).toEqual(['2027/03/08', '2027/03/08', '2027/03/15', '2027/03/22']);
  });

  it('has no upcoming reminders that the Client has opted out of', async () => {
    const path = '/gateway/profile/client/reminder-preference';
    for (const [optedOut, count] of [
      ['HOMEWORK', 0],
      ['SESSION', 2],
    ] as const) {
      expect((await app.call('PUT', path, { token, body: { optedOut: [optedOut] } })).status).toBe(200);
      expect((await list())[0].remindersAhead).toHaveLength(count);
    }
  });

  it('has no upcoming reminders that are due after the next Session, unless they are redriven', async () => {
    const token = clinic.careProviderToken;
    const moveNext = async (date: string) => {
      const path = `${CAREGIVER}/session/${sessionIds[1]}`;
      const headers = { 'if-match': (await get(path, token)).headers.get('etag')! };
      expect((await app.call('PATCH', path, { token, headers, body: { date } })).status).toBe(200);
    };
    const days = async (index: number) => {
      const item = (await list())[index];
      const times: string[] = item.remindersAhead.map(({ dueAt }: { dueAt: string }) => dueAt);
      const readers = { client: await app.createToken('CLIENT', clinic.clientIds[0]), caregiver: token };
      for (const [profile, reader] of Object.entries(readers)) {
        const { body } = await get(`/gateway/profile/${profile}/session/${item.sessionId}?include=reminders`, reader);
        const ofHomework = body.remindersAhead.filter(
          ({ homeworkId }: { homeworkId: number }) => homeworkId === item.id,
        );
        expect(ofHomework.map(({ dueAt }: { dueAt: string }) => dueAt)).toEqual(times);
      }
      return item.remindersAhead.map(({ date }: { date: string }) => date);
    };
    await moveNext('2027/03/05');
    expect(await days(0)).toEqual(['2027/03/02', '2027/03/05']);
    await moveNext('2027/03/04');
    expect(await days(0)).toEqual(['2027/03/02']);
    // A reminder of the last Session is always sent.
    await cancel(sessionIds[2]);
    expect(await days(2)).toEqual(['2027/03/05', '2027/03/08']);
    const [, late] = await remindersOf(homeworkIds[0]!);
    await app.asSuperuser((em) => em.nativeUpdate(Reminder, { id: late!.id }, { redrivenAt: app.clock.now() }));
    expect(await days(0)).toEqual(['2027/03/02', '2027/03/05']);
  });

  it('does not hide later reminders of its Session with reminders that are not sent', async () => {
    const times = Array.from({ length: 20 }, (_, hour): [number, string] => [7, `${String(hour).padStart(2, '0')}:30`]);
    const weeks = [{ assignments: [buildAssignment(clinic.ownBookId, ...times)] }, {}];
    const plan = await createPlan(app, clinic, { weeks });
    const first = { clientId: clinic.clientIds[0], date: '2027/06/01', time: '10:00' };
    const body = { ...first, intervalDays: 3, reminders: ['P10D'] };
    const { sessions } = (await staff(`design-plan/${plan}/apply`, body)).body;
    const { remindersAhead } = (await get(`${SESSIONS}/${sessions[0].id}?include=reminders`)).body;
    expect(remindersAhead).toEqual([
      expect.objectContaining({ dueAt: '2027-06-11T09:00:00.000Z', recipientKind: 'CLIENT' }),
    ]);
  });

  it('is due in the year 9999 at the latest', async () => {
    await apply({ date: '9999/12/13' });
    const items = (await list()).slice(4);
    expect(items.map(({ dueDate }) => dueDate)).toEqual(['9999/12/20', '9999/12/20', '9999/12/27', '9999/12/31']);
  });

  it('shows reminders at the local time of the Client, due days in the zone of the Session', async () => {
    await app.asSuperuser((em) => em.nativeUpdate(Client, { id: clinic.clientIds[0] }, { timeZone: 'Asia/Tokyo' }));
    // 23:30 in London is the next day in Tokyo.
    const late = await apply({ time: '23:30', date: '2027/05/03' });
    const items = (await list()).filter(({ sessionId }) => late.sessionIds.includes(sessionId));
    expect(items[0]).toMatchObject({ dueDate: '2027/05/10', timeZone: 'Europe/London' });
    expect(items[0].remindersAhead[0]).toEqual({
      ...{ dueAt: '2027-05-04T11:00:00.000Z', date: '2027/05/04', time: '20:00', timeZone: 'Asia/Tokyo' },
      sendAt: '2027-05-04T11:00:00.000Z',
    });
  });

  it("is planned and listed in the Clinic's zone if another release has stored a zone of the Client that is unknown", async () => {
    const { clientIds } = clinic;
    await app.asSuperuser((em) => em.nativeUpdate(Client, { id: clientIds[0] }, { timeZone: 'Mars/Olympus_Mons' }));
    const { sessionIds: ids } = await apply({ date: '2027/05/03' });
    const items = (await list()).filter(({ sessionId }) => ids.includes(sessionId));
    expect(items[0].remindersAhead[0]).toMatchObject({ time: '20:00', timeZone: 'Europe/London' });
    for (const path of ['export', 'reminder-preference'])
      expect({ path, status: (await get(`/gateway/profile/client/${path}`)).status }).toEqual({ path, status: 200 });
  });

  it('is listed, and its reminders are sent, also if only another release knows the zone of its Session', async () => {
    await app.asSuperuser((em) =>
      em.nativeUpdate(Session, { clinicId: clinic.clinicId }, { timeZone: 'Mars/Olympus_Mons' }),
    );
    const digest = `${CAREGIVER}/session/${sessionIds[1]}/digest`;
    const reads = [
      [HOMEWORK, token],
      [`${SESSIONS}?include=reminders`, token],
      [`${CLINIC}/homework`, clinic.clinicToken],
      [digest, clinic.careProviderToken],
    ] as const;
    for (const [path, reader] of reads) expect([path, (await get(path, reader)).status]).toEqual([path, 200]);
    expect((await list())[0].dueDate).toBe('2027/03/08');
    expect((await get(digest, clinic.careProviderToken)).body.daysSincePrevious).toBe(7);
    // The Session has a reminder as well, whose message tells the stored start.
    const { sessionIds: reminded } = await apply({ reminders: ['P1DT10H30M'] });
    await app.asSuperuser((em) => em.nativeUpdate(Session, { id: reminded[0]! }, { timeZone: 'Mars/Olympus_Mons' }));
    app.clock.set('2027-03-02T20:00:00Z');
    await app.deliverDueReminders();
    const sent = await app.asSuperuser((em) => em.find(Reminder, { clinicId: clinic.clinicId, status: 'SENT' }));
    expect(sent.map(({ kind, recipientKind }) => `${kind} ${recipientKind}`).toSorted()).toEqual([
      ...['HOMEWORK CLIENT', 'HOMEWORK CLIENT', 'SESSION CARE_PROVIDER', 'SESSION CLIENT'],
    ]);
  });

  it('is moved with its Session although its reminders were planned in a zone that only another release knows', async () => {
    app.clock.set('2027-03-02T21:00:00Z');
    await app.deliverDueReminders();
    expect(await states(homeworkIds[0]!)).toEqual(['SENT', 'PENDING']);
    const timeZone = 'Mars/Olympus_Mons';
    await app.asSuperuser(async (em) => {
      await em.nativeUpdate(Client, { id: clinic.clientIds[0] }, { timeZone });
      const planned = await em.find(Reminder, { homeworkId: homeworkIds[0]! });
      for (const reminder of planned) Object.assign(reminder, { rule: { ...reminder.rule, timeZone } });
      await em.flush();
    });
    const path = `${CAREGIVER}/session/${sessionIds[0]}`;
    const { careProviderToken } = clinic;
    const headers = { 'if-match': (await get(path, careProviderToken)).headers.get('etag')! };
    const request = { token: careProviderToken, headers, body: { date: '2027/03/04' } };
    expect((await app.call('PATCH', path, request)).status).toBe(200);
    const unsent = (await remindersOf(homeworkIds[0]!)).filter(({ status }) => status === 'PENDING');
    expect(unsent.map(({ rule, dueAt }) => [rule, dueAt.toString()])).toEqual([
      [expect.objectContaining({ timeZone: 'Europe/London' }), '2027-03-08T20:00:00Z'],
      [expect.objectContaining({ timeZone: 'Europe/London' }), '2027-03-05T20:00:00Z'],
    ]);
  });

  it.each([
    // The second night has a clock change in London, so that 08:00 is one hour earlier in UTC.
    ['Europe/London', ['2027-03-25T08:00:00.000Z', '2027-03-28T07:00:00.000Z']],
    ['Asia/Tokyo', ['2027-03-24T23:00:00.000Z', '2027-03-27T23:00:00.000Z']],
  ])('shows when a reminder is sent after the quiet hours of a Client in %s', async (timeZone, sent) => {
    await app.asSuperuser((em) => em.nativeUpdate(Client, { id: clinic.clientIds[0] }, { timeZone }));
    const body = { quietHours: { from: '19:30', to: '08:00' } };
    const preference = '/gateway/profile/client/reminder-preference';
    expect((await app.call('PUT', preference, { token, body })).status).toBe(200);
    const night = await apply({ date: '2027/03/23' });
    const filter = `?sessionId=${night.sessionIds[0]}&bookId=${clinic.ownBookId}`;
    const [item] = await list(filter);
    expect(item.remindersAhead.map(({ date, time, sendAt }: Record<string, string>) => [date, time, sendAt])).toEqual([
      ['2027/03/24', '20:00', sent[0]],
      ['2027/03/27', '20:00', sent[1]],
    ]);
    const ofClinic = await get(`${CLINIC}/homework${filter}`, clinic.clinicToken);
    expect(ofClinic.body.items[0].remindersAhead).toEqual(item.remindersAhead);
    await step(item.id, 'complete');
    expect((await step(item.id, 'undo')).body.remindersAhead).toEqual(item.remindersAhead);
  });

  it('is due on the next Session that is not cancelled, wherever that was moved to', async () => {
    const [first, second, third] = sessionIds;
    await cancel(second);
    expect((await list()).map(({ dueDate }) => dueDate)).toEqual(['2027/03/15', '2027/03/15', '2027/03/22']);
    const path = `${CAREGIVER}/session/${third}`;
    const moved = await app.call('PATCH', path, {
      token: clinic.careProviderToken,
      headers: { 'if-match': '"1"' },
      body: { date: '2027/02/20' },
    });
    expect(moved.status).toBe(200);
    // The third Session is now before the first, which has no next Session.
    const items = await list();
    expect(items.map(({ sessionId, dueDate }) => [sessionId, dueDate])).toEqual([
      [third, '2027/03/01'],
      [first, '2027/03/08'],
      [first, '2027/03/08'],
    ]);
  });

  it('is left out with a cancelled Session, and marked while its Session is paused', async () => {
    await cancel(sessionIds[0]);
    expect((await list()).map(({ sessionId }) => sessionId)).toEqual(sessionIds.slice(1));
    expect((await staff(`series/${seriesId}/pause`)).status).toBe(200);
    for (const item of await list()) expect(item).toMatchObject({ paused: true, remindersAhead: [] });
  });

  it('can be filtered by completion', async () => {
    await step(homeworkIds[1], 'complete');
    expect((await list('?completed=true')).map(({ id }) => id)).toEqual([homeworkIds[1]]);
    expect((await list('?completed=false')).map(({ id }) => id)).toEqual(homeworkIds.filter((_, at) => at !== 1));
  });

  it('has pages without repeated or missing items, even if Sessions start at the same time', async () => {
    await apply();
    const all = (await list()).map(({ id }) => id);
    expect(all).toHaveLength(8);
    const seen: number[] = [];
    let cursor = '';
    do {
      const { body } = await get(`${HOMEWORK}?limit=3${cursor}`);
      seen.push(...body.items.map(({ id }: { id: number }) => id));
      cursor = body.nextCursor === null ? '' : `&cursor=${body.nextCursor}`;
    } while (cursor !== '');
    expect(seen).toEqual(all);
  });

  it('keeps the title of a Book that was withdrawn', async () => {
    await app.asSuperuser((em) => em.nativeUpdate(Book, { id: clinic.ownBookId }, { active: false }));
    expect((await list())[0].bookTitle).toBe('Own');
  });

  it('needs the same number of statements for many items as for one', async () => {
    // A distributed database looks the Clinic of the caller up once.
    await list('?limit=1');
    const one = await statements(() => list('?limit=1'));
    expect(one).toBeGreaterThan(3);
    await apply({ date: '2027/04/05' });
    await apply({ date: '2027/05/05' });
    expect(await statements(() => list())).toBe(one);
  });

  it.each(['limit=0', 'limit=201', 'cursor=x', 'cursor=W10', 'completed=yes', 'completed=1'])(
    'refuses %s',
    async (query) => {
      const answer = await get(`${HOMEWORK}?${query}`);
      expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, `/${query.split('=')[0]!}`]);
    },
  );

  it('contains nothing of another Client, in the same Clinic or another', async () => {
    const other = await app.createClinic();
    for (const clientId of [clinic.clientIds[1], other.clientIds[0]])
      expect((await get(HOMEWORK, await app.createToken('CLIENT', clientId))).body).toEqual({
        items: [],
        nextCursor: null,
      });
  });
});

describe('homework that is done', () => {
  it('has the time of its completion, and only its own reminders are withdrawn', async () => {
    const answer = await step(homeworkIds[0], 'complete');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('max-age=1, no-cache, no-store');
    expect(answer.body).toMatchObject({
      ...{ id: homeworkIds[0], completedAt: '2026-11-21T10:00:00.000Z', remindersAhead: [], dueDate: '2027/03/08' },
    });
    expect(await states(homeworkIds[0]!)).toEqual(['HOMEWORK_DONE', 'HOMEWORK_DONE']);
    expect(await states(homeworkIds[1]!)).toEqual(['PENDING']);
    expect(await states(homeworkIds[2]!)).toEqual(['PENDING', 'PENDING']);
    expect((await stored()).map(({ completedAt }) => completedAt !== null)).toEqual([true, false, false, false]);
  });

  it('keeps its first completion time if it is completed again, and its Session is not written again', async () => {
    const lastChange = async () => {
      const session = await app.asSuperuser((em) => em.findOneOrFail(Session, { id: sessionIds[0]! }));
      expect(session.version).toBe(1);
      return session.updatedAt.toString();
    };
    for (const name of ['complete', 'undo'] as const) {
      const first = await step(homeworkIds[0], name);
      const changedAt = await lastChange();
      expect(changedAt).toBe(app.clock.now().toString());
      app.clock.advance({ hours: 1 });
      expect((await step(homeworkIds[0], name)).body).toEqual(first.body);
      expect(await lastChange()).toBe(changedAt);
    }
  });

  it('can be marked as not done, which restores its future reminders', async () => {
    await step(homeworkIds[0], 'complete');
    app.clock.set('2027-03-03T10:00:00Z');
    const answer = await step(homeworkIds[0], 'undo');
    expect(answer.status).toBe(200);
    expect(answer.body.completedAt).toBeNull();
    expect(answer.body.remindersAhead.map(({ dueAt }: { dueAt: string }) => dueAt)).toEqual([
      '2027-03-05T20:00:00.000Z',
    ]);
    expect(await states(homeworkIds[0]!)).toEqual(['MISSED', 'PENDING']);
    expect((await step(homeworkIds[0], 'undo')).body).toEqual(answer.body);
    expect(await states(homeworkIds[0]!)).toEqual(['MISSED', 'PENDING']);
  });

  it('does not change sent reminders, and sends none twice', async () => {
    app.clock.set('2027-03-02T20:00:00Z');
    await app.deliverDueReminders();
    await waitFor(async () => (await states(homeworkIds[0]!))[0] === 'SENT');
    for (const what of ['complete', 'undo', 'complete', 'undo'] as const) await step(homeworkIds[0], what);
    expect(await states(homeworkIds[0]!)).toEqual(['SENT', 'PENDING']);
  });

  it('stops a reminder that has been queued', async () => {
    const [first] = await remindersOf(homeworkIds[0]!);
    await app.asSuperuser((em) => em.nativeUpdate(Reminder, { id: first!.id }, { status: 'QUEUED' }));
    expect((await list())[0].remindersAhead).toHaveLength(2);
    await step(homeworkIds[0], 'complete');
    expect(await states(homeworkIds[0]!)).toEqual(['HOMEWORK_DONE', 'HOMEWORK_DONE']);
  });

  it('keeps its reminders withdrawn when the Session moves; they are restored at the new time', async () => {
    await step(homeworkIds[0], 'complete');
    await staff(`series/${seriesId}/shift`, { days: 1 });
    expect(await states(homeworkIds[0]!)).toEqual(['HOMEWORK_DONE', 'HOMEWORK_DONE']);
    const { body } = await step(homeworkIds[0], 'undo');
    expect(body.remindersAhead.map(({ date }: { date: string }) => date)).toEqual(['2027/03/03', '2027/03/06']);
  });

  it('can be done after the Session, and while it is paused', async () => {
    app.clock.set('2027-03-01T12:00:00Z');
    expect((await staff(`session/${sessionIds[0]}/complete`)).status).toBe(200);
    expect((await step(homeworkIds[0], 'complete')).status).toBe(200);
    await staff(`series/${seriesId}/pause`);
    expect((await step(homeworkIds[2], 'complete')).status).toBe(200);
    expect(await states(homeworkIds[2]!)).toEqual(['SERIES_PAUSED', 'SERIES_PAUSED']);
    await staff(`series/${seriesId}/resume`);
    expect(await states(homeworkIds[2]!)).toEqual(['HOMEWORK_DONE', 'HOMEWORK_DONE']);
  });

  it('cannot be of a cancelled Session', async () => {
    await cancel(sessionIds[0]);
    for (const what of ['complete', 'undo'] as const) {
      const answer = await step(homeworkIds[0], what);
      expect([answer.status, answer.body.type]).toEqual([409, 'urn:problem:conflict']);
    }
    expect((await stored())[0]!.completedAt).toBeNull();
    expect(await states(homeworkIds[0]!)).toEqual(['SESSION_CANCELLED', 'SESSION_CANCELLED']);
  });

  it('of another Client is 404', async () => {
    const other = await app.createClinic();
    for (const clientId of [clinic.clientIds[1], other.clientIds[0]]) {
      const stranger = await app.createToken('CLIENT', clientId);
      for (const what of ['complete', 'undo'] as const) {
        const [foreign, absent] = [await step(homeworkIds[0], what, stranger), await step(999_999_999, what, stranger)];
        expect([foreign.status, absent.status]).toEqual([404, 404]);
        expect({ ...foreign.body, instance: '' }).toEqual({ ...absent.body, instance: '' });
      }
    }
    expect((await stored())[0]!.completedAt).toBeNull();
  });

  it.each(['x', '0', '-1', '1.5', '99999999999999999'])('has an id, and not %s', async (id) => {
    const answer = await app.call('POST', `${HOMEWORK}/${id}/complete`, { token });
    expect(answer.status).toBe(400);
  });

  it('is not marked as done if its reminders cannot be withdrawn', async () => {
    const reminders = app.nest.get(ReminderService, { strict: false });
    const follow = reminders.reschedule.bind(reminders);
    reminders.reschedule = async (...args) => {
      await follow(...args);
      throw new Error('the connection broke');
    };
    const answer = await step(homeworkIds[0], 'complete');
    reminders.reschedule = follow;
    expect(answer.status).toBe(500);
    expect((await stored())[0]!.completedAt).toBeNull();
    expect(await states(homeworkIds[0]!)).toEqual(['PENDING', 'PENDING']);
  });
});

describe('progress', () => {
  it('counts completed homework per Session and series, without cancelled Sessions', async () => {
    for (const id of homeworkIds.slice(0, 3)) await step(id, 'complete');
    const series = () => get(`${CAREGIVER}/series/${seriesId}`, clinic.careProviderToken);
    const { body } = await series();
    expect(body.progress).toEqual({ done: 3, total: 4 });
    expect(body.sessions.map(({ progress }: { progress: object }) => progress)).toEqual([
      { done: 2, total: 2 },
      { done: 1, total: 1 },
      { done: 0, total: 1 },
    ]);
    await cancel(sessionIds[1]);
    expect((await series()).body.progress).toEqual({ done: 2, total: 3 });
  });
});

describe('the digest before a Session', () => {
  const digest = async (id: number | undefined): Promise<TestResponse['body']> => {
    const [answer, ofClinic] = [
      await get(`${CAREGIVER}/session/${id}/digest`, clinic.careProviderToken),
      await get(`${CLINIC}/session/${id}/digest`, clinic.clinicToken),
    ];
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'max-age=1, no-cache, no-store']);
    expect(ofClinic.body).toEqual(answer.body);
    return answer.body;
  };

  it('contains the previous Session, the planned homework, and the progress of the series', async () => {
    await step(homeworkIds[0], 'complete');
    app.clock.set('2027-03-01T12:00:00Z');
    await staff(`session/${sessionIds[0]}/complete`);
    await step(homeworkIds[1], 'complete');
    await step(homeworkIds[2], 'complete');
    expect(await digest(sessionIds[1])).toEqual({
      ...{ sessionId: sessionIds[1], seriesId, clientId: clinic.clientIds[0], startsAt: '2027-03-08T09:30:00.000Z' },
      homework: [
        { id: homeworkIds[2], bookId: clinic.ownBookId, bookTitle: 'Own', completedAt: '2027-03-01T12:00:00.000Z' },
      ],
      previous: {
        ...{ id: sessionIds[0], date: '2027/03/01', time: '09:30', timeZone: 'Europe/London', status: 'COMPLETED' },
        startsAt: '2027-03-01T09:30:00.000Z',
        homework: [
          { id: homeworkIds[0], bookId: clinic.ownBookId, bookTitle: 'Own', completedAt: '2026-11-21T10:00:00.000Z' },
          {
            ...{ id: homeworkIds[1], bookId: clinic.sharedBookId, bookTitle: 'Shared' },
            completedAt: '2027-03-01T12:00:00.000Z',
          },
        ],
        progress: { done: 2, total: 2 },
        summary: '2 of 2 Books done',
      },
      daysSincePrevious: 7,
      progress: { done: 3, total: 4 },
      dueSoFar: { done: 2, total: 2 },
      summary: '2 of 2 due so far, 4 in all',
    });
  });

  it('of the first Session contains no previous Session', async () => {
    expect(await digest(sessionIds[0])).toMatchObject({ previous: null, daysSincePrevious: null });
  });

  it('leaves cancelled Sessions out', async () => {
    await cancel(sessionIds[1]);
    expect(await digest(sessionIds[2])).toMatchObject({
      ...{ daysSincePrevious: 14, progress: { done: 0, total: 3 }, summary: '0 of 0 due so far, 3 in all' },
      previous: { id: sessionIds[0] },
    });
    await cancel(sessionIds[0]);
    expect(await digest(sessionIds[2])).toMatchObject({ previous: null, summary: '0 of 0 due so far, 1 in all' });
    await cancel(sessionIds[2]);
    expect((await digest(sessionIds[2])).summary).toBe('No Books given');
  });

  it('counts the whole series for the new Care Provider, and only their own Sessions for the previous one', async () => {
    const [former, present] = clinic.careProviderIds;
    app.clock.set('2027-03-01T12:00:00Z');
    await step(homeworkIds[0], 'complete');
    await app.call('POST', `${CLINIC}/care-provider/${former}/reassign`, {
      token: clinic.clinicToken,
      body: { toCareProviderId: present },
    });
    await step(homeworkIds[2], 'complete');
    const path = (id: number | undefined) => `${CAREGIVER}/session/${id}/digest`;
    const ofPresent = await get(path(sessionIds[1]), await app.createToken('CARE_PROVIDER', present));
    expect(ofPresent.body).toMatchObject({
      ...{ progress: { done: 2, total: 4 }, summary: '1 of 2 due so far, 4 in all' },
      previous: { id: sessionIds[0], progress: { done: 1, total: 2 } },
    });
    expect((await get(path(sessionIds[0]), clinic.careProviderToken)).body).toMatchObject({
      ...{ progress: { done: 1, total: 2 }, summary: '1 of 2 due so far, 2 in all' },
    });
    const ofClinic = await get(`${CLINIC}/session/${sessionIds[0]}/digest`, clinic.clinicToken);
    expect(ofClinic.body.progress).toEqual({ done: 2, total: 4 });
  });

  it('is returned only to callers who may see the Session', async () => {
    const other = await app.createClinic();
    const id = sessionIds[1];
    const [, colleague] = clinic.careProviderIds;
    const refused: [string, string][] = [
      [CAREGIVER, await app.createToken('CARE_PROVIDER', colleague)],
      [CAREGIVER, other.careProviderToken],
      [CLINIC, other.clinicToken],
    ];
    for (const [prefix, stranger] of refused) {
      const [foreign, absent] = [
        await get(`${prefix}/session/${id}/digest`, stranger),
        await get(`${prefix}/session/999999999/digest`, stranger),
      ];
      expect(foreign.status).toBe(404);
      expect({ ...foreign.body, instance: '' }).toEqual({ ...absent.body, instance: '' });
    }
    expect((await get(`${CAREGIVER}/session/${id}/digest`, token)).status).toBe(403);
    expect((await app.call('GET', `${CLINIC}/session/${id}/digest`)).status).toBe(401);
    expect((await get(`${CLINIC}/session/x/digest`, clinic.clinicToken)).status).toBe(400);
  });
});
