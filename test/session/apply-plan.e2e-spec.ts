import * as support from '../support/app/series-fixtures.js';
import {
  buildAssignment,
  countSeriesRecords,
  buildEightWeeks,
  describeWarnings,
  maskIds,
} from '../support/app/series-fixtures.js';
import { TestApp, type TestResponse, type RequestOptions, type ClinicFixture } from '../support/app/test-app.js';

/* Tests applying a Design Plan to a Client: Sessions, homework, reminders, dry run and errors. */

const PLANS = '/gateway/profile/clinic/design-plan';
const SESSIONS = '/gateway/profile/caregiver/session';

let app: TestApp;
let clinic: ClinicFixture;
let books: number[];
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.clock.set('2026-11-21T10:00:00Z');
  clinic = await app.createClinic();
  books = [clinic.ownBookId, clinic.sharedBookId, await support.createBook(app, clinic)];
});

const asClinic = (method: string, path: string, options: RequestOptions = {}) =>
  app.call(method, path, { token: clinic.clinicToken, ...options });
const createPlan = (plan: object = {}) => support.createPlan(app, clinic, { weeks: buildEightWeeks(books), ...plan });
const request = (change: object = {}) => ({
  clientId: clinic.clientIds[0],
  date: '2027/05/03',
  time: '09:30',
  ...change,
});
const apply = (plan: number, change: object = {}, query = '', call: RequestOptions = {}): Promise<TestResponse> =>
  app.call('POST', `/gateway/profile/caregiver/design-plan/${plan}/apply${query}`, {
    token: clinic.careProviderToken,
    body: request(change),
    ...call,
  });
const stored = () => support.loadSeriesRecords(app, clinic);

describe('applying a plan', () => {
  it('the response contains local and UTC times of all Sessions and reminders; Session reminders go to both participants', async () => {
    const body = { timeZone: 'Asia/Kolkata' };
    await asClinic('PATCH', `/gateway/profile/clinic/client/${clinic.clientIds[0]}`, { body });
    const weeks = [{ assignments: [buildAssignment(books[0]!, [2, '07:00'])] }];
    const plan = await createPlan({ weeks });
    const change = { remindDays: 3, reminders: ['-P1D'], durationMinutes: 90, caregiverId: clinic.careProviderIds[1] };
    const answer = await apply(plan, change);
    const reminder = { status: 'PENDING', reason: null };
    const [anchor, ahead, ofBook] = [
      {
        rule: 'remindDays 3',
        date: '2026/11/24',
        time: '10:00',
        timeZone: 'Europe/London',
        dueAt: '2026-11-24T10:00:00.000Z',
      },
      { rule: '-P1D', date: '2027/05/02', time: '09:30', timeZone: 'Europe/London', dueAt: '2027-05-02T08:30:00.000Z' },
      {
        rule: 'day 2 at 07:00',
        date: '2027/05/04',
        time: '07:00',
        timeZone: 'Asia/Kolkata',
        dueAt: '2027-05-04T01:30:00.000Z',
      },
    ];
    const forBoth = [anchor, ahead].flatMap((due) =>
      ['CLIENT', 'CARE_PROVIDER'].map((recipient) => ({ ...reminder, ...due, recipient })),
    );
    expect(answer.body).toEqual({
      seriesId: expect.any(String),
      designPlanId: plan,
      revision: 1,
      paused: false,
      sessions: [
        {
          id: expect.any(Number),
          version: 1,
          position: 1,
          planWeek: 1,
          caregiverId: clinic.careProviderIds[1],
          clientId: clinic.clientIds[0],
          title: 'Sleep',
          description: null,
          date: '2027/05/03',
          time: '09:30',
          timeZone: 'Europe/London',
          startsAt: '2027-05-03T08:30:00.000Z',
          endsAt: '2027-05-03T10:00:00.000Z',
          durationMinutes: 90,
          status: 'SCHEDULED',
          reminders: forBoth,
          homework: [
            { bookId: books[0], completed: false, reminders: [{ ...reminder, ...ofBook, recipient: 'CLIENT' }] },
          ],
        },
      ],
      renumbered: [],
      conflicts: [],
      conflictCount: 0,
      warnings: [],
    });
  });

  it('applies only the weeks from fromWeek to toWeek, at the given interval, and stores both in the series', async () => {
    const plan = await createPlan();
    const answer = await apply(plan, { fromWeek: 3, toWeek: 5, intervalDays: 14 });
    expect(answer.status).toBe(201);
    const { series, sessions } = await stored();
    expect(sessions.map(({ position, planWeek, plannedDate }) => [position, planWeek, plannedDate])).toEqual([
      [1, 3, '2027-05-03'],
      [2, 4, '2027-05-17'],
      [3, 5, '2027-05-31'],
    ]);
    expect(series).toMatchObject([{ fromWeek: 3, toWeek: 5, intervalDays: 14 }]);
    for (const [fromWeek, toWeek, weeks] of [
      [7, null, [7, 8]],
      [null, 2, [1, 2]],
      [8, 99, [8]],
      [4, 4, [4]],
    ] as const) {
      const { body } = await apply(plan, { fromWeek, toWeek }, '?dryRun=true');
      expect(body.sessions.map((session: { planWeek: number }) => session.planWeek)).toEqual(weeks);
    }
    for (const [range, pointer] of [
      [{ fromWeek: 9 }, '/fromWeek'],
      [{ toWeek: 0 }, '/toWeek'],
      [{ fromWeek: 9, toWeek: 10 }, '/fromWeek'],
    ] as const) {
      const { status, body } = await apply(plan, range);
      expect([range, status, body.errors]).toEqual([
        range,
        422,
        [{ pointer, detail: 'the plan has no week in this range' }],
      ]);
    }
    const { status, body } = await apply(await createPlan({ weeks: [] }));
    expect([status, body.errors]).toEqual([422, [{ pointer: '/fromWeek', detail: 'the plan has no weeks' }]]);
  });

  it('applies a range of weeks whose `ordering` is a date, or the largest that a Session can store', async () => {
    const [date, largest] = [20_270_503, 2_147_483_647];
    const plan = await createPlan({ weeks: [1, date, date + 7, largest].map((ordering) => ({ ordering })) });
    for (const [range, applied] of [
      [{ fromWeek: date }, [date, date + 7, largest]],
      [{ toWeek: date }, [1, date]],
      [{ fromWeek: largest, toWeek: largest }, [largest]],
    ] as const) {
      const { status, body } = await apply(plan, range);
      expect([status, body.sessions?.map(({ planWeek }: { planWeek: number }) => planWeek)]).toEqual([201, applied]);
    }
  });

  it('assigns a Book that occurs twice in a week once, with the reminders of both', async () => {
    const assignments = [
      buildAssignment(books[0]!, [1, '08:00'], [3, '08:00']),
      buildAssignment(books[1]!),
      buildAssignment(books[0]!, [3, '08:00'], [2, '19:00']),
    ];
    await apply(await createPlan({ weeks: [{ assignments }] }));
    const { homework, reminders } = await stored();
    expect(homework.map(({ bookId }) => bookId)).toEqual([books[0], books[1]]);
    const due = reminders.filter(({ homeworkId }) => homeworkId === homework[0]!.id).map(({ dueAt }) => String(dueAt));
    expect(due).toEqual(['2027-05-03T07:00:00Z', '2027-05-05T07:00:00Z', '2027-05-04T18:00:00Z']);
    expect(reminders).toHaveLength(3);
  });

  it('the series keeps the applied revision when the plan gets another one', async () => {
    const plan = await createPlan();
    await apply(plan);
    const headers = { 'if-match': '"1"' };
    expect((await asClinic('PUT', `${PLANS}/${plan}`, { body: { planName: 'New', weeks: [] }, headers })).status).toBe(
      200,
    );
    const { series, sessions } = await stored();
    expect(series).toMatchObject([{ designPlanId: plan, revision: 1 }]);
    expect(sessions).toHaveLength(8);
    const read = await app.call('GET', `/gateway/profile/caregiver/series/${series[0]!.id}`, {
      token: clinic.careProviderToken,
    });
    expect(read.body).toMatchObject({ designPlanId: plan, revision: 1, progress: { done: 0, total: 24 } });
  });

  it('date and time are in the zone of the offset header, reminders in that of the Client', async () => {
    const weeks = [{ assignments: [buildAssignment(books[0]!, [1, '07:00'])] }];
    await apply(await createPlan({ weeks }), {}, '', { headers: { offset: '330' } });
    const { sessions, reminders } = await stored();
    expect(sessions).toMatchObject([{ timeZone: '+05:30', plannedTime: '09:30' }]);
    expect(String(sessions[0]!.startsAt)).toBe('2027-05-03T04:00:00Z');
    expect(String(reminders[0]!.dueAt)).toBe('2027-05-03T06:00:00Z');
  });

  it.each(['?dryRun=true', ''])(
    'an offset that agrees with the zone of the Clinic means the zone (%s)',
    async (query) => {
      const plan = await createPlan();
      const agreed = await apply(plan, {}, query, { headers: { offset: '60' } });
      expect(agreed.body.sessions[0]).toMatchObject({ time: '09:30', timeZone: 'Europe/London' });
      expect(describeWarnings(agreed)).toEqual([]);
      const fixed = await apply(plan, {}, query, { headers: { offset: '330' } });
      expect(fixed.body.sessions[0]).toMatchObject({ time: '09:30', timeZone: '+05:30' });
      expect(describeWarnings(fixed)).toEqual(['FIXED_OFFSET']);
      if (query !== '') return;
      const series = await Promise.all(
        [agreed, fixed].map(({ headers }) =>
          app.call('GET', headers.get('location')!, { token: clinic.careProviderToken }),
        ),
      );
      expect(series.map((answer) => describeWarnings(answer))).toEqual([[], ['FIXED_OFFSET']]);
    },
  );
});

describe('warnings', () => {
  // Warnings about new reminders require that the reminders and the warnings have the same time.
  beforeEach(() => app.clock.tickAtEachReading({ milliseconds: 1 }));
  afterEach(() => app.clock.tickAtEachReading({ milliseconds: 0 }));

  it.each(['?dryRun=true', ''])(
    'BOOK_WITHDRAWN: a Book that is not active any more is left out (%s)',
    async (query) => {
      const plan = await createPlan();
      expect((await asClinic('DELETE', `/gateway/profile/clinic/book/${books[2]!}`)).status).toBe(204);
      const answer = await apply(plan, { toWeek: 2 }, query);
      expect(describeWarnings(answer)).toEqual([
        `BOOK_WITHDRAWN week 1 ${books[2]!}`,
        `BOOK_WITHDRAWN week 2 ${books[2]!}`,
      ]);
      const given = answer.body.sessions.map((session: { homework: { bookId: number }[] }) =>
        session.homework.map(({ bookId }) => bookId),
      );
      expect(given).toEqual([books.slice(0, 2), books.slice(0, 2)]);
      expect((await stored()).homework).toHaveLength(query === '' ? 4 : 0);
    },
  );

  it('REMINDER_IN_THE_PAST: of Sessions and of Books, and only of those', async () => {
    app.clock.set('2027-05-04T12:00:00Z');
    const plan = await createPlan({ weeks: buildEightWeeks(books).slice(0, 1) });
    const dryRun = await apply(plan, { reminders: ['-P1D', 'P3D'] }, '?dryRun=true');
    const late = `REMINDER_IN_THE_PAST 1`;
    expect(describeWarnings(dryRun)).toEqual([late, late, `${late} ${books[0]!}`, `${late} ${books[0]!}`]);
    const recipients = dryRun.body.warnings.map(
      ({ detail }: { detail: string }) => /^A reminder for the (.+) was/.exec(detail)?.[1],
    );
    expect(recipients).toEqual(['Client', 'Care Provider', 'Client', 'Client']);
    expect(maskIds(await apply(plan, { reminders: ['-P1D', 'P3D'] }))).toBe(maskIds(dryRun));
  });

  it.each(['?dryRun=true', ''])(
    'a reminder that is due when the plan is applied needs no warning (%s)',
    async (query) => {
      const plan = await createPlan({ weeks: [{}] });
      const answer = await apply(plan, { remindDays: 0 }, query);
      expect(answer.body.sessions[0].reminders).toMatchObject([{ status: 'PENDING' }, { status: 'PENDING' }]);
      expect(describeWarnings(answer)).toEqual([]);
    },
  );

  it('TIME_SKIPPED and DAYLIGHT_SAVING_SHIFT say what happens at which Session', async () => {
    const plan = await createPlan({ weeks: buildEightWeeks(books).slice(0, 3) });
    const spring = await apply(plan, { date: '2027/03/21', time: '01:30' }, '?dryRun=true');
    expect(spring.body.warnings).toEqual([
      { kind: 'TIME_SKIPPED', position: 2, detail: 'The clock skips 01:30 that day: the Session is at 02:30.' },
      {
        kind: 'DAYLIGHT_SAVING_SHIFT',
        position: 2,
        detail: expect.stringContaining('Europe/London changes from +00:00 to +01:00'),
      },
    ]);
    const stored = await apply(plan, { date: '2027/03/22', time: '09:30' });
    expect(describeWarnings(stored)).toEqual(['DAYLIGHT_SAVING_SHIFT 2']);
    const cancel = `${SESSIONS}/${stored.body.sessions[0].id}/cancel?scope=series`;
    const cancelled = await app.call('POST', cancel, { token: clinic.careProviderToken, body: { reason: 'OTHER' } });
    expect([cancelled.status, describeWarnings(cancelled)]).toEqual([200, []]);
    const autumn = await apply(plan, { date: '2027/10/30', time: '09:00' }, '?dryRun=true');
    expect(describeWarnings(autumn)).toEqual(['DAYLIGHT_SAVING_SHIFT 2']);
    expect(describeWarnings(await apply(plan, { date: '2027/06/01' }, '?dryRun=true'))).toEqual([]);
  });
});

describe('conflicts', () => {
  const createSession = async (change: object): Promise<number> => {
    const answer = await app.call('POST', SESSIONS, {
      token: clinic.careProviderToken,
      body: { clientId: clinic.clientIds[0], title: 'T', date: '2027/05/03', time: '09:30', ...change },
    });
    expect(answer.status).toBe(201);
    return Number(/(\d+)\.$/.exec(answer.body.message as string)![1]);
  };

  it('are listed in the dry run and by what is written; reject is 409 with all of the series, and stores nothing', async () => {
    const [, otherClient] = clinic.clientIds;
    const other = await createSession({ clientId: otherClient, time: '10:00' });
    const elsewhere = await createSession({
      caregiverId: clinic.careProviderIds[1],
      date: '2027/05/10',
      time: '09:00',
    });
    const same = await createSession({ date: '2027/05/24', durationMinutes: 5 });
    // None of these Sessions overlaps: one ends when the new Session begins, one begins when it ends, and one has other
    // participants.
    await createSession({ date: '2027/05/17', time: '08:40' });
    await createSession({ date: '2027/05/17', time: '10:20' });
    await createSession({ clientId: otherClient, caregiverId: clinic.careProviderIds[1], date: '2027/05/17' });
    const plan = await createPlan();
    const conflicts = [
      [1, '2027-05-03T08:30:00.000Z', '2027-05-03T09:20:00.000Z', 'CARE_PROVIDER', other, '09:00:00', '09:50:00'],
      [2, '2027-05-10T08:30:00.000Z', '2027-05-10T09:20:00.000Z', 'CLIENT', elsewhere, '08:00:00', '08:50:00'],
      [4, '2027-05-24T08:30:00.000Z', '2027-05-24T09:20:00.000Z', 'BOTH', same, '08:30:00', '08:35:00'],
    ].map(([position, startsAt, endsAt, who, otherSessionId, from, to]) => {
      const at = (time: unknown) => `${String(startsAt).slice(0, 11)}${String(time)}.000Z`;
      const others = { otherSessionId, otherStartsAt: at(from), otherEndsAt: at(to) };
      return { position, startsAt, endsAt, with: who, ...others };
    });

    const before = await countSeriesRecords(app);
    const dryRun = await apply(plan, {}, '?dryRun=true');
    expect(dryRun.body.conflicts).toEqual(conflicts);
    for (const query of ['?conflicts=reject', '?conflicts=reject&dryRun=true']) {
      const rejected = await apply(plan, {}, query);
      expect([rejected.status, rejected.body.type]).toEqual([409, 'urn:problem:schedule-conflict']);
      expect(rejected.headers.get('content-type')).toMatch(/^application\/problem\+json/);
      expect(rejected.body.conflicts).toEqual(conflicts);
    }
    expect(await countSeriesRecords(app)).toEqual(before);
    const applied = await apply(plan, {}, '?conflicts=report');
    expect(applied.status).toBe(201);
    expect(maskIds(applied)).toBe(maskIds(dryRun));
    const free = await apply(plan, { time: '15:00' }, '?conflicts=reject');
    expect([free.status, free.body.conflicts]).toEqual([201, []]);
  });

  it('a plan that is applied twice overlaps in every week, also with another Client', async () => {
    const plan = await createPlan();
    await apply(plan);
    const twice = await apply(plan, { clientId: clinic.clientIds[1] }, '?conflicts=reject');
    expect(twice.status).toBe(409);
    const places = twice.body.conflicts.map((each: { position: number; with: string }) => [each.position, each.with]);
    expect(places).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((position) => [position, 'CARE_PROVIDER']));
  });
});

describe('who may apply what', () => {
  const refused = async (answer: TestResponse, status: number, ...pointers: string[]) => {
    const errors: { pointer: string }[] = answer.body.errors ?? [];
    expect([answer.status, errors.map(({ pointer }) => pointer)]).toEqual([status, pointers]);
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect((await stored()).sessions).toEqual([]);
  };

  it('401 without a token, 403 for every other role', async () => {
    const plan = await createPlan();
    await refused(
      await app.call('POST', `/gateway/profile/caregiver/design-plan/${plan}/apply`, { body: request() }),
      401,
    );
    for (const role of ['CLINIC', 'CLIENT', 'ADMIN'] as const) {
      await refused(await apply(plan, {}, '', { token: await app.createToken(role, clinic.clinicId) }), 403);
    }
    await refused(await apply(plan, {}, '', { token: await app.createToken('CARE_PROVIDER', 999_999) }), 403);
  });

  it('404 for the plan of another Clinic, the same as for none; 400 for what is no id', async () => {
    const foreign = await createPlan();
    clinic = await app.createClinic();
    const [answer, absent] = [await apply(foreign), await apply(999_999_999)];
    await refused(answer, 404);
    expect({ ...answer.body, instance: '' }).toEqual({ ...absent.body, instance: '' });
    expect((await apply(0)).status).toBe(400);
  });

  it('409 for an archived plan, until it is restored', async () => {
    const plan = await createPlan();
    await asClinic('DELETE', `${PLANS}/${plan}`);
    await refused(await apply(plan), 409);
    await refused(await apply(plan, {}, '?dryRun=true'), 409);
    await asClinic('POST', `${PLANS}/${plan}/restore`);
    expect((await apply(plan)).status).toBe(201);
  });

  it('409 for a template, of which a clone can be applied', async () => {
    const template = await createPlan({ template: true });
    await refused(await apply(template), 409);
    await refused(await apply(template, {}, '?dryRun=true'), 409);
    const clone = await asClinic('POST', `${PLANS}/${template}/clone`, { body: {} });
    expect((await apply(Number(clone.headers.get('location')!.split('/').at(-1)))).status).toBe(201);
  });

  it('409 for a week with a larger `ordering` than a Session can store, until the plan is replaced', async () => {
    const [largest, tooLarge] = [2_147_483_647, 2_147_483_648];
    const plan = await createPlan({ weeks: [{ ordering: largest }, { ordering: tooLarge }] });
    for (const query of ['?dryRun=true', '']) {
      const answer = await apply(plan, {}, query);
      await refused(answer, 409);
      expect(answer.body.detail).toContain(`ordering ${tooLarge}`);
    }
    const replace = (version: number, ...orderings: number[]) =>
      asClinic('PUT', `${PLANS}/${plan}`, {
        body: { planName: 'Sleep', weeks: orderings.map((ordering) => ({ ordering })) },
        headers: { 'if-match': `"${version}"` },
      });
    expect((await replace(1, largest)).status).toBe(200);
    const applied = await apply(plan);
    expect([applied.status, applied.body.sessions[0].planWeek]).toEqual([201, largest]);
    expect((await replace(2, largest, Number.MAX_SAFE_INTEGER)).status).toBe(200);
    const revised = await asClinic('POST', `/gateway/profile/clinic/series/${applied.body.seriesId}/revise`, {
      body: {},
    });
    expect([revised.status, revised.body.detail]).toEqual([409, expect.stringContaining('ordering 9007199254740991')]);
  });

  it('422 for Clients who are foreign, unknown, not assigned or not active, all alike, and for a foreign Care Provider', async () => {
    const plan = await createPlan();
    const other = await app.createClinic();
    const inactive = clinic.clientIds[1];
    await asClinic('DELETE', `/gateway/profile/clinic/client/${inactive}`);
    const answers = [];
    for (const clientId of [other.clientIds[0], 999_999_999, clinic.clientIds[2], inactive]) {
      const answer = await apply(plan, { clientId });
      await refused(answer, 422, '/clientId');
      answers.push({ ...answer.body, instance: '' });
    }
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    await refused(await apply(plan, { caregiverId: other.careProviderIds[0] }), 422, '/caregiverId');
  });

  it.each<[string, object]>([
    ['/clientId', { clientId: undefined }],
    ['/clientId', { clientId: '1' }],
    ['/clientId', { clientId: 0 }],
    ['/date', { date: '2027/02/29' }],
    ['/date', { date: undefined }],
    ['/date', { date: '2027-05-03' }],
    ['/date', { date: '9999/12/31' }],
    ['/time', { time: '24:00' }],
    ['/time', { time: undefined }],
    ['/caregiverId', { caregiverId: -1 }],
    ['/intervalDays', { intervalDays: 0 }],
    ['/intervalDays', { intervalDays: 366 }],
    ['/fromWeek', { fromWeek: 1.5 }],
    ['/toWeek', { toWeek: 2_147_483_648 }],
    ['/toWeek', { toWeek: -1 }],
    ['/toWeek', { fromWeek: 3, toWeek: -1 }],
    ['/toWeek', { fromWeek: 3, toWeek: 2 }],
    ['/remindDays', { remindDays: 3651 }],
    ['/reminders/1', { reminders: ['-P1D', 'tomorrow'] }],
    ['/durationMinutes', { durationMinutes: 721 }],
  ])('400 at %s for %j', async (pointer, change) => {
    await refused(await apply(await createPlan(), change), 400, pointer);
  });

  it('400 for a range of weeks that is not in order, together with other errors', async () => {
    const range = { fromWeek: 3, toWeek: 2 };
    await refused(await apply(await createPlan(), { ...range, date: 'x' }), 400, '/date', '/toWeek');
    await refused(await apply(await createPlan(), {}, '', { body: [range] }), 400, '');
  });

  it.each(['dryRun=yes', 'conflicts=ignore'])('400 for the query %s', async (query) => {
    await refused(await apply(await createPlan(), {}, `?${query}`), 400, `/${query.split('=')[0]!}`);
  });
});
