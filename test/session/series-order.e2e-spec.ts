import { Reminder } from '../../src/reminder/index.js';
import { Session } from '../../src/session/index.js';
import { createPlan, describeWarnings } from '../support/app/series-fixtures.js';
import { TestApp, type TestResponse, type ClinicFixture } from '../support/app/test-app.js';

/* Tests that a series is ordered by the start of its Sessions after some were moved, cancelled or added. */

const CAREGIVER = '/gateway/profile/caregiver';
const CLINIC = '/gateway/profile/clinic';

let app: TestApp;
let clinic: ClinicFixture;
let plan: number;
let seriesId: string;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.clock.set('2027-01-01T10:00:00Z');
  clinic = await app.createClinic();
});

const weeks = (...orderings: number[]) => orderings.map((ordering) => ({ ordering, assignments: [] as object[] }));
const staff = (path: string, body: object = {}, token = clinic.careProviderToken): Promise<TestResponse> => {
  // Advances the clock, because changes by different requests must have different times.
  app.clock.advance({ seconds: 1 });
  return app.call('POST', `${CAREGIVER}/${path}`, { token, body });
};
const asClinic = (path: string, body: object = {}) =>
  app.call('POST', `${CLINIC}/${path}`, { token: clinic.clinicToken, body });

/** Applies a plan with these weeks, one every Monday at 09:30 from 4 January 2027 on. */
async function apply(orderings: number[], change: object = {}): Promise<void> {
  plan = await createPlan(app, clinic, { weeks: weeks(...orderings) });
  const body = { clientId: clinic.clientIds[0], date: '2027/01/04', time: '09:30', ...change };
  seriesId = (await staff(`design-plan/${plan}/apply`, body)).body.seriesId;
}
async function replacePlan(content: object[]): Promise<void> {
  const token = clinic.clinicToken;
  const etag = (await app.call('GET', `${CLINIC}/design-plan/${plan}`, { token })).headers.get('etag')!;
  const body = { planName: 'Sleep', weeks: content };
  const headers = { 'if-match': etag };
  expect((await app.call('PUT', `${CLINIC}/design-plan/${plan}`, { token, headers, body })).status).toBe(200);
}
/** Replaces the plan, and applies the new revision to the series. */
async function revise(...orderings: number[]): Promise<TestResponse> {
  await replacePlan(weeks(...orderings));
  return asClinic(`series/${seriesId}/revise`);
}
const members = () =>
  app.asSuperuser((em) => em.find(Session, { seriesId }, { orderBy: { startsAt: 'asc', id: 'asc' } }));
/** Finds the Session of a week. Prefers one that is not cancelled. */
async function find(week: number): Promise<Session> {
  const all = (await members()).filter(({ planWeek }) => planWeek === week);
  return all.find(({ status }) => status !== 'CANCELLED') ?? all[0]!;
}
/** Returns the week and day of each Session in calendar order, and its status if it is not SCHEDULED. */
const calendar = async () =>
  (await members()).map(({ planWeek, plannedDate, status }) =>
    [planWeek, plannedDate.slice(5), ...(status === 'SCHEDULED' ? [] : [status])].join(' '),
  );
const positions = async () => (await members()).map(({ position }) => position);
const step = async (week: number, what: string, body: object = {}) =>
  staff(`session/${(await find(week)).id}/${what}`, body);
async function move(week: number, date: string): Promise<TestResponse> {
  const { id, version } = await find(week);
  const headers = { 'if-match': `"${version}"` };
  return app.call('PATCH', `${CLINIC}/session/${id}`, { token: clinic.clinicToken, headers, body: { date } });
}
const pointersOf = ({ body }: TestResponse) =>
  (body.errors as { pointer: string }[] | undefined)?.map(({ pointer }) => pointer);

describe('a week that was inserted between others', () => {
  beforeEach(async () => {
    await apply([10, 20, 30]);
    expect((await revise(10, 15, 20, 30)).status).toBe(200);
    expect(await calendar()).toEqual(['10 01-04', '15 01-11', '20 01-18', '30 01-25']);
  });

  it('is ordered by its date', async () => {
    expect(await positions()).toEqual([1, 2, 3, 4]);
    const { body } = await app.call('GET', `${CLINIC}/series/${seriesId}`, { token: clinic.clinicToken });
    expect(body.sessions.map(({ planWeek }: Session) => planWeek)).toEqual([10, 15, 20, 30]);
  });

  it('is not cancelled with the Sessions that follow a later one', async () => {
    expect((await step(30, 'cancel?scope=following', { reason: 'OTHER' })).status).toBe(200);
    expect(await calendar()).toEqual(['10 01-04', '15 01-11', '20 01-18', '30 01-25 CANCELLED']);
    expect((await step(30, 'undo?scope=following')).status).toBe(200);
    expect(await calendar()).toEqual(['10 01-04', '15 01-11', '20 01-18', '30 01-25']);
  });

  it('is skipped together with all later Sessions', async () => {
    const { status, body } = await staff(`series/${seriesId}/skip-week`, { sessionId: (await find(15)).id });
    expect([status, body.conflicts]).toEqual([200, []]);
    expect(body.sessions.map(({ date }: { date: string }) => date)).toEqual(['2027/01/18', '2027/01/25', '2027/02/01']);
    expect(await calendar()).toEqual(['10 01-04', '15 01-18', '20 01-25', '30 02-01']);
  });

  it('is shifted together with all later Sessions', async () => {
    expect((await staff(`series/${seriesId}/shift`, { days: 2, fromSessionId: (await find(15)).id })).status).toBe(200);
    expect(await calendar()).toEqual(['10 01-04', '15 01-13', '20 01-20', '30 01-27']);
  });
});

it('a week that is added again is ordered by its date', async () => {
  await apply([1, 2, 3]);
  await revise(1, 3);
  await revise(1, 2, 3);
  expect(await calendar()).toEqual(['1 01-04', '2 01-11 CANCELLED', '2 01-11', '3 01-18']);
  expect(await positions()).toEqual([1, 2, 3, 4]);
  expect((await step(3, 'cancel?scope=following', { reason: 'OTHER' })).status).toBe(200);
  expect((await calendar()).at(-2)).toBe('2 01-11');
});

describe('a Session that was moved on its own', () => {
  beforeEach(async () => {
    await apply([1, 2, 3, 4]);
    expect((await move(4, '2027/01/06')).status).toBe(200);
  });

  it('comes before the Sessions that it was moved before', async () => {
    await step(2, 'cancel?scope=following', { reason: 'OTHER' });
    expect(await calendar()).toEqual(['1 01-04', '4 01-06', '2 01-11 CANCELLED', '3 01-18 CANCELLED']);
  });

  it('is the week to skip if it is the next one', async () => {
    app.clock.set('2027-01-05T10:00:00Z');
    await staff(`series/${seriesId}/skip-week`, { sessionId: (await find(2)).id });
    expect(await calendar()).toEqual(['1 01-04', '4 01-06', '2 01-18', '3 01-25']);
    await staff(`series/${seriesId}/skip-week`);
    expect(await calendar()).toEqual(['1 01-04', '4 01-13', '2 01-25', '3 02-01']);
  });

  it('keeps its time if a revision changes only Books', async () => {
    const [first, ...others] = weeks(1, 2, 3, 4);
    await replacePlan([{ ...first!, assignments: [{ bookId: clinic.ownBookId }] }, ...others]);
    expect((await asClinic(`series/${seriesId}/revise`)).status).toBe(200);
    expect(await calendar()).toEqual(['1 01-04', '4 01-06', '2 01-11', '3 01-18']);
    expect(await positions()).toEqual([1, 4, 2, 3]);
  });
});

it('a revision keeps the week of every upcoming Session, whichever weeks are past', async () => {
  app.clock.set('2027-01-14T10:00:00Z');
  await apply([1, 2, 3, 4]);
  expect((await move(1, '2027/01/20')).status).toBe(200);
  expect((await step(2, 'complete')).status).toBe(200);
  const [first, second, third, fourth] = weeks(1, 2, 3, 4);
  await replacePlan([first!, second!, { ...third!, assignments: [{ bookId: clinic.ownBookId }] }, fourth!]);
  const answer = await asClinic(`series/${seriesId}/revise`);
  expect([answer.status, describeWarnings(answer)]).toEqual([200, []]);
  expect(await calendar()).toEqual(['2 01-11 COMPLETED', '3 01-18', '1 01-20', '4 01-25']);
});

it('a week without an upcoming Session, before a past week, is in the past', async () => {
  await apply([10, 20, 30]);
  app.clock.set('2027-01-12T10:00:00Z');
  const answer = await revise(10, 15, 20, 30);
  expect(describeWarnings(answer)).toEqual(['WEEK_IN_THE_PAST week 15']);
  expect(await calendar()).toEqual(['10 01-04', '20 01-11', '30 01-18']);
});

describe('after a reassignment', () => {
  const successor = () => app.createToken('CARE_PROVIDER', clinic.careProviderIds[1]);
  const handOver = () =>
    asClinic(`care-provider/${clinic.careProviderIds[0]}/reassign`, { toCareProviderId: clinic.careProviderIds[1] });
  const providers = async () => (await members()).map(({ caregiverId }) => clinic.careProviderIds.indexOf(caregiverId));
  const leave = (id: number) => app.call('DELETE', `${CLINIC}/care-provider/${id}`, { token: clinic.clinicToken });

  beforeEach(async () => {
    await apply([1, 2, 3], { reminders: ['-P1D'], remindDays: 300 });
    await step(3, 'cancel', { reason: 'ILLNESS' });
    app.clock.set('2027-01-05T10:00:00Z');
    expect((await handOver()).status).toBe(200);
  });

  it('new weeks belong to the new Care Provider, with their reminders', async () => {
    expect((await revise(1, 2, 3, 4)).status).toBe(200);
    const [, to] = clinic.careProviderIds;
    expect((await find(4)).caregiverId).toBe(to);
    const { id: sessionId } = await find(4);
    const reminders = await app.asSuperuser((em) => em.find(Reminder, { sessionId }));
    expect(reminders.map(({ rule, recipientId }) => `${rule.kind} ${recipientId}`).toSorted()).toEqual(
      ['AROUND_START', 'REMIND_DAYS']
        .flatMap((kind) => [clinic.clientIds[0], to].map((id) => `${kind} ${id}`))
        .toSorted(),
    );
  });

  it('new weeks belong to the new Care Provider even if the previous one is deactivated', async () => {
    expect((await leave(clinic.careProviderIds[0])).status).toBe(204);
    expect((await revise(1, 2, 3, 4)).status).toBe(200);
    expect(await calendar()).toEqual(['1 01-04', '2 01-11', '3 01-18 CANCELLED', '4 01-18']);
    expect(await providers()).toEqual([0, 1, 0, 1]);
  });

  it('new weeks belong to the new Care Provider even if the series was already over', async () => {
    app.clock.set('2027-02-05T10:00:00Z');
    const back = await asClinic(`care-provider/${clinic.careProviderIds[1]}/reassign`, {
      toCareProviderId: clinic.careProviderIds[0],
    });
    expect(back.status).toBe(200);
    expect((await revise(1, 2, 3, 4)).status).toBe(200);
    expect((await find(4)).caregiverId).toBe(clinic.careProviderIds[0]);
  });

  it.each(['undo', 'undo?dryRun=true', 'undo?scope=series'])(
    '%s brings a Session back for the successor',
    async (undo) => {
      const { id } = await find(3);
      const answer = await staff(`session/${id}/${undo}`, {}, await successor());
      expect([answer.status, answer.body.sessions?.[0].caregiverId]).toEqual([200, clinic.careProviderIds[1]]);
    },
  );

  it('undo of a past Session keeps its Care Provider', async () => {
    expect((await step(1, 'complete')).status).toBe(200);
    expect((await staff(`session/${(await find(1)).id}/undo`, {}, await successor())).status).toBe(200);
    expect((await providers())[0]).toBe(0);
  });

  it('a past Session that is moved into the future belongs to the new Care Provider', async () => {
    expect((await move(1, '2027/01/13')).status).toBe(200);
    expect((await find(1)).caregiverId).toBe(clinic.careProviderIds[1]);
  });

  it('the response explains what to do if the Care Provider of the series is deactivated', async () => {
    await leave(clinic.careProviderIds[1]);
    for (const refused of [await revise(1, 2, 3, 4), await asClinic(`session/${(await find(3)).id}/undo`)]) {
      expect([refused.status, refused.body.detail]).toEqual([
        409,
        expect.stringMatching(/is deactivated\. Reassign .* or activate the Care Provider first/),
      ]);
    }
    const [first, second] = clinic.careProviderIds;
    await asClinic(`care-provider/${second}/reassign`, { toCareProviderId: first });
    expect((await asClinic(`series/${seriesId}/revise`)).status).toBe(200);
    expect((await find(4)).caregiverId).toBe(first);
  });
});

it('a revision that removes too many weeks can be reverted without a gap', async () => {
  app.clock.set('2026-01-01T10:00:00Z');
  const all = [1, 2, 3, 4, 5, 6, 7, 8];
  await apply(all, { date: '2026/01/05' });
  app.clock.set('2026-01-20T10:00:00Z');
  for (const week of [1, 2, 3]) await step(week, 'complete');
  await revise(1, 2, 3);
  expect((await revise(...all)).status).toBe(200);
  const ahead = (await calendar()).filter((line) => !/COMPLETED|CANCELLED/.test(line));
  expect(ahead).toEqual(['4 01-26', '5 02-02', '6 02-09', '7 02-16', '8 02-23']);
});

it('a series whose weeks were all removed restarts on its first day', async () => {
  await apply([1, 2]);
  await revise();
  await revise(1, 2);
  expect((await calendar()).filter((line) => !line.endsWith('CANCELLED'))).toEqual(['1 01-04', '2 01-11']);
});

it.each(['PLAN_CHANGED', 'CLIENT_LEFT', 'CARE_PROVIDER_LEFT'])(
  '%s is no reason that a caller can give',
  async (reason) => {
    await apply([1, 2]);
    const refused = await step(2, 'cancel', { reason });
    expect([refused.status, pointersOf(refused)]).toEqual([400, ['/reason']]);
    expect(await calendar()).toEqual(['1 01-04', '2 01-11']);
  },
);

describe('a paused series whose dates have passed', () => {
  beforeEach(async () => {
    await apply([1, 2, 3]);
    expect((await staff(`series/${seriesId}/pause`)).status).toBe(200);
    app.clock.set('2027-01-13T10:00:00Z');
  });
  const dates = async () => (await calendar()).map((line) => line.split(' ')[1]);

  it('can skip a week', async () => {
    expect((await staff(`series/${seriesId}/skip-week`)).status).toBe(200);
    expect(await dates()).toEqual(['01-11', '01-18', '01-25']);
  });

  it('can be shifted forward, but not back', async () => {
    expect((await staff(`series/${seriesId}/shift`, { days: 1 })).status).toBe(200);
    expect(await dates()).toEqual(['01-05', '01-12', '01-19']);
    const refused = await staff(`series/${seriesId}/shift`, { days: -1 });
    expect([refused.status, pointersOf(refused)]).toEqual([422, ['/days']]);
  });

  it('adds a new week at its interval, and moves it when the series is resumed', async () => {
    await revise(1, 2, 3, 4);
    expect(await dates()).toEqual(['01-04', '01-11', '01-18', '01-25']);
    await staff(`series/${seriesId}/resume`);
    expect(await dates()).toEqual(['01-18', '01-25', '02-01', '02-08']);
  });

  it('keeps a Session that was cancelled by mistake, and moves it when the series is resumed', async () => {
    await step(1, 'cancel', { reason: 'SCHEDULING_ERROR' });
    expect((await step(1, 'undo')).body.sessions[0].status).toBe('PAUSED');
    await staff(`series/${seriesId}/resume`);
    expect(await calendar()).toEqual(['1 01-18', '2 01-25', '3 02-01']);
  });
});

describe('a series that is paused after its first Session', () => {
  beforeEach(async () => {
    await apply([1, 2, 3], { reminders: ['-P1D'] });
    app.clock.set('2027-01-05T10:00:00Z');
    expect((await staff(`series/${seriesId}/pause`)).status).toBe(200);
    app.clock.set('2027-01-13T10:00:00Z');
  });

  it('does not pause that Session when it is cancelled by mistake', async () => {
    for (const [what, undone] of [['cancel', 'undo'] as const, ['complete', 'undo'] as const]) {
      await step(1, what, what === 'cancel' ? { reason: 'SCHEDULING_ERROR' } : {});
      expect((await step(1, undone)).status).toBe(200);
      expect(await calendar()).toEqual(['1 01-04', '2 01-11 PAUSED', '3 01-18 PAUSED']);
    }
  });

  it('pauses that Session when it is restored at a new place in the series', async () => {
    await step(1, 'cancel', { reason: 'ILLNESS' });
    expect((await step(1, 'undo?at=series')).status).toBe(200);
    expect((await find(1)).status).toBe('PAUSED');
  });

  it.each(['this', 'following', 'series'])(
    'pauses that Session when it moves into the future: scope=%s',
    async (scope) => {
      const { id, version } = await find(1);
      const headers = { 'if-match': `"${version}"` };
      const request = { token: clinic.clinicToken, headers, body: { date: '2027/01/15' } };
      const path = `${CLINIC}/session/${id}?scope=${scope}`;
      const dry = await app.call('PATCH', `${path}&dryRun=true`, request);
      const moved = await app.call('PATCH', path, request);
      expect([moved.status, moved.body]).toEqual([200, dry.body]);
      expect((await members()).map(({ status }) => status)).toEqual(['PAUSED', 'PAUSED', 'PAUSED']);
      const unsent = await app.asSuperuser((em) => em.count(Reminder, { sessionId: id, status: 'PENDING' }));
      expect(unsent).toBe(0);
      expect((await staff(`series/${seriesId}/resume`)).status).toBe(200);
      expect((await find(1)).status).toBe('SCHEDULED');
    },
  );
});

describe('errors name only fields of the request', () => {
  beforeEach(() => apply([1, 2], { date: '9999/12/01' }));

  it.each([
    ['shift', { days: 365 }, 400, ['/days']],
    ['skip-week', {}, 409, undefined],
  ])('%s beyond the year 9999', async (what, body, status, pointers) => {
    for (let time = 0; time < 3; time += 1) await staff(`series/${seriesId}/skip-week`);
    const refused = await staff(`series/${seriesId}/${what}`, body);
    expect([refused.status, pointersOf(refused)]).toEqual([status, pointers]);
  });

  it('revise beyond the year 9999', async () => {
    const refused = await revise(1, 2, 3, 4, 5, 6);
    expect([refused.status, pointersOf(refused)]).toEqual([409, undefined]);
  });

  const week = (ordering: number) => ({
    ordering,
    assignments: [{ bookId: clinic.ownBookId, assignReminds: [{ reminderDay: 7, time: '20:00' }] }],
  });

  it('revise to a homework reminder beyond the year 9999', async () => {
    await replacePlan([...weeks(1, 2, 3, 4), week(5)]);
    const refused = await asClinic(`series/${seriesId}/revise`);
    expect([refused.status, pointersOf(refused)]).toEqual([409, undefined]);
  });

  it('revise to a reminder of a Session beyond the year 9999', async () => {
    await apply([1, 2], { date: '9999/12/01', reminders: ['P10D'] });
    const refused = await revise(1, 2, 3, 4);
    expect([refused.status, pointersOf(refused)]).toEqual([409, undefined]);
  });

  it('the application of a plan with a homework reminder beyond the year 9999', async () => {
    plan = await createPlan(app, clinic, { weeks: [week(1)] });
    const body = { clientId: clinic.clientIds[0], date: '9999/12/29', time: '09:30' };
    const refused = await staff(`design-plan/${plan}/apply`, body);
    expect([refused.status, pointersOf(refused)]).toEqual([400, ['/date']]);
  });
});

describe('undo after a shift', () => {
  beforeEach(async () => {
    await apply([1, 2, 3, 4, 5]);
    await step(3, 'cancel', { reason: 'CLIENT_REQUEST' });
  });
  const shift = (days: number) => staff(`series/${seriesId}/shift`, { days });

  it.each([
    [2, ['1 01-06', '2 01-13', '3 01-18', '4 01-27', '5 02-03']],
    [7, ['1 01-11', '2 01-18', '3 01-18', '4 02-01', '5 02-08']],
  ])('by %i days puts the Session on its old date and says so, in a dry run too', async (days, expected) => {
    await shift(days);
    for (const undo of ['undo?dryRun=true', 'undo']) {
      const answer = await step(3, undo);
      expect([answer.status, describeWarnings(answer)]).toEqual([200, ['OUT_OF_ORDER 3']]);
    }
    expect((await calendar()).toSorted()).toEqual(expected);
  });

  it.each([
    [2, '01-20'],
    [7, '01-25'],
    [-2, '01-16'],
  ])('by %i days, with at=series, puts it where its week is now', async (days, expected) => {
    app.clock.set('2027-01-01T12:00:00Z');
    await shift(days);
    const before = (await calendar()).filter((line) => !line.startsWith('3'));
    for (const undo of ['undo?at=series&dryRun=true', 'undo?at=series']) {
      const answer = await step(3, undo);
      expect([answer.status, describeWarnings(answer)]).toEqual([200, []]);
      expect(answer.body.sessions[0].date).toBe(`2027/${expected.replace('-', '/')}`);
    }
    expect((await calendar()).filter((line) => !line.startsWith('3'))).toEqual(before);
  });

  it('without a shift, has no warning and keeps the time, also with at=series', async () => {
    for (const undo of ['undo?at=series&dryRun=true', 'undo']) {
      const answer = await step(3, undo);
      expect([describeWarnings(answer), answer.body.sessions[0].date]).toEqual([[], '2027/01/18']);
    }
  });

  it('of the rest, after the earlier weeks are past, is placed by the upcoming Sessions', async () => {
    app.clock.set('2027-01-12T10:00:00Z');
    await shift(2);
    expect(describeWarnings(await step(3, 'undo?dryRun=true'))).toEqual(['OUT_OF_ORDER 3']);
    expect((await step(3, 'undo?at=series')).body.sessions[0].date).toBe('2027/01/20');
  });

  it('of several weeks restores each at its own time', async () => {
    await step(4, 'cancel?scope=following', { reason: 'CLIENT_REQUEST' });
    await shift(2);
    const answer = await step(4, 'undo?at=series&scope=series');
    expect(answer.body.sessions.map(({ date }: { date: string }) => date)).toEqual(['2027/01/27', '2027/02/03']);
  });

  it('after a skipped week does not change earlier weeks', async () => {
    await staff(`series/${seriesId}/skip-week`, { sessionId: (await find(4)).id });
    expect(describeWarnings(await step(3, 'undo'))).toEqual([]);
  });

  it('refuses a time that is taken', async () => {
    await revise(1, 3, 4, 5);
    expect(await calendar()).toContain('4 01-11');
    const taken = await step(2, 'undo?at=series');
    expect([taken.status, taken.body.detail]).toEqual([409, expect.stringContaining('taken')]);
    expect(describeWarnings(await step(2, 'undo?dryRun=true'))).toEqual(['OUT_OF_ORDER 2']);
  });

  it('refuses to put two Sessions at one time', async () => {
    await step(3, 'undo');
    await move(2, '2027/01/12');
    await step(2, 'cancel?scope=following', { reason: 'CLIENT_REQUEST' });
    await step(4, 'undo');
    await move(1, '2027/01/11');
    const before = await calendar();
    // Week 2 is one interval after week 1, and week 3 is at its previous time, one interval before week 4.
    for (const undo of ['undo?dryRun=true&scope=following&at=series', 'undo?scope=following&at=series']) {
      const taken = await step(2, undo);
      expect([taken.status, taken.body.detail]).toEqual([
        409,
        expect.stringContaining('2027/01/18 at 09:30, is taken'),
      ]);
    }
    expect(await calendar()).toEqual(before);
    expect((await step(3, 'undo?at=series')).body.sessions[0].date).toBe('2027/01/18');
  });

  it('refuses a time that has passed', async () => {
    await staff(`series/${seriesId}/shift`, { days: -12, fromSessionId: (await find(4)).id });
    app.clock.set('2027-01-12T10:00:00Z');
    const passed = await step(3, 'undo?at=series');
    expect([passed.status, passed.body.detail]).toEqual([409, expect.stringContaining('has passed')]);
  });

  it('refuses any other value of `at`', async () => {
    const refused = await step(3, 'undo?at=end');
    expect([refused.status, pointersOf(refused)]).toEqual([400, ['/at']]);
  });
});
