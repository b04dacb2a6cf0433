import { Book } from '../../src/directory/index.js';
import { Reminder } from '../../src/reminder/index.js';
import { Homework, Session } from '../../src/session/index.js';
import { TestApp, type TestResponse, type ClinicFixture } from '../support/app/test-app.js';

/* Tests each line of "Creating Sessions" in docs/decisions.md. A test or a group of tests is named after its line. */

const PATH = '/gateway/profile/caregiver/session';

let app: TestApp;
let clinic: ClinicFixture;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.clock.set('2026-11-21T10:00:00Z');
  clinic = await app.createClinic();
});

const minimal = () => ({ clientId: clinic.clientIds[0], title: 'Hello', date: '2027/03/01', time: '09:30' });
const create = (change: object = {}, headers: Record<string, string> = {}): Promise<TestResponse> =>
  app.call('POST', PATH, { token: clinic.careProviderToken, body: { ...minimal(), ...change }, headers });
const sessions = () =>
  app.asSuperuser((em) => em.find(Session, { clinicId: clinic.clinicId }, { orderBy: { startsAt: 'asc' } }));
const reminders = () =>
  app.asSuperuser((em) => em.find(Reminder, { clinicId: clinic.clinicId }, { orderBy: { dueAt: 'asc', id: 'asc' } }));
const homework = () =>
  app.asSuperuser((em) => em.find(Homework, { clinicId: clinic.clinicId }, { orderBy: { id: 'asc' } }));
const starts = async () => (await sessions()).map((session) => session.startsAt.toString());

async function expectRefusal(answer: TestResponse, status: number, ...pointers: string[]): Promise<void> {
  expect([answer.status, answer.body.errors?.map((error: { pointer: string }) => error.pointer) ?? []]).toEqual([
    status,
    pointers,
  ]);
  expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  expect(await sessions()).toHaveLength(0);
}

async function createPlan(body: object): Promise<number> {
  const answer = await app.call('POST', '/gateway/profile/clinic/design-plan', { token: clinic.clinicToken, body });
  expect(answer.status).toBe(201);
  return Number(answer.headers.get('location')!.split('/').at(-1));
}

describe('who may call', () => {
  it('refuses a call without a token', async () => {
    const answer = await app.call('POST', PATH, { body: minimal() });
    await expectRefusal(answer, 401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  it.each(['CLINIC', 'CLIENT', 'ADMIN'] as const)('refuses the role %s', async (role) => {
    await expectRefusal(
      await app.call('POST', PATH, { token: await app.createToken(role, clinic.clinicId), body: minimal() }),
      403,
    );
  });

  it('refuses a Care Provider who does not exist', async () => {
    await expectRefusal(
      await app.call('POST', PATH, { token: await app.createToken('CARE_PROVIDER', 999_999), body: minimal() }),
      403,
    );
  });
});

describe('the answer', () => {
  it('Session response: one field, message, with how many and their ids; Location lists them', async () => {
    const answer = await create({ sessionCount: 3 });
    expect(answer.status).toBe(201);
    const ids = (await sessions()).map((session) => session.id);
    expect(answer.body).toEqual({ message: `3 Sessions were created: ${ids.join(', ')}.` });
    const location = answer.headers.get('location')!;
    expect(location).toMatch(/^\/gateway\/profile\/caregiver\/session\?seriesId=[0-9a-f-]{36}$/);
    await create();
    const list = await app.call('GET', location, { token: clinic.careProviderToken });
    expect(list.body.items.map((item: { id: number }) => item.id)).toEqual(ids);
    expect(list.body.nextCursor).toBeNull();
  });

  it('reads back every field', async () => {
    const [first, second] = clinic.careProviderIds;
    const answer = await create({
      caregiverId: second,
      description: 'D',
      remindDays: 2,
      bookIdList: [clinic.ownBookId],
    });
    const list = await app.call('GET', answer.headers.get('location')!, { token: clinic.careProviderToken });
    expect(first).not.toBe(second);
    expect(list.body.items).toEqual([
      {
        id: expect.any(Number),
        seriesId: answer.headers.get('location')!.split('=')[1],
        clinicId: clinic.clinicId,
        caregiverId: second,
        clientId: clinic.clientIds[0],
        designPlanId: null,
        title: 'Hello',
        description: 'D',
        date: '2027/03/01',
        time: '09:30',
        timeZone: 'Europe/London',
        startsAt: '2027-03-01T09:30:00.000Z',
        status: 'SCHEDULED',
        remindDays: 2,
        createdAt: '2026-11-21T10:00:00.000Z',
        homework: [{ id: expect.any(Number), bookId: clinic.ownBookId, completedAt: null }],
        progress: { done: 0, total: 1 },
        position: 1,
        planWeek: null,
        durationMinutes: 50,
        endsAt: '2027-03-01T10:20:00.000Z',
        cancellation: null,
        statusChangedAt: null,
        version: 1,
      },
    ]);
  });

  it('the example of the specification: sessionCount, id and designPlanId 0, accept */*, offset, lower-case bearer', async () => {
    const answer = await create(
      {
        caregiverId: clinic.careProviderIds[0],
        clinicId: clinic.clinicId,
        sessionCount: 0,
        designPlanId: 0,
        id: 0,
        bookIdList: [clinic.sharedBookId],
        remindDays: 1,
      },
      { accept: '*/*', offset: '0' },
    );
    expect(answer.status).toBe(201);
    expect(await sessions()).toHaveLength(1);
  });
});

it('has the version of a single Session as ETag', async () => {
  const answers = [await create(), await create({ sessionCount: 2 })];
  expect(answers.map(({ status, headers }) => [status, headers.get('etag')])).toEqual([
    [201, '"1"'],
    [201, null],
  ]);
});

describe('Required', () => {
  it.each(['clientId', 'date', 'time', 'title'])('%s', async (field) => {
    await expectRefusal(await create({ [field]: undefined }), 400, `/${field}`);
    await expectRefusal(await create({ [field]: null }), 400, `/${field}`);
  });

  it('reports all that are absent together, also from a Clinic, and no field twice', async () => {
    const send = (body: unknown) => app.call('POST', PATH, { token: clinic.careProviderToken, body });
    await expectRefusal(await send({}), 400, '/clientId', '/date', '/time', '/title');
    await expectRefusal(await send({ Title: ' ' }), 400, '/clientId', '/date', '/time', '/Title');
    await expectRefusal(await send({ title: 5, designPlanId: 1 }), 400, '/clientId', '/date', '/time', '/title');
    await expectRefusal(await send({ designPlanId: 1 }), 400, '/clientId', '/date', '/time');
    await expectRefusal(await send({ designPlanId: 'x' }), 400, '/clientId', '/date', '/time', '/designPlanId');
    for (const body of [[], null, 'x']) await expectRefusal(await send(body), 400, '');
    const path = '/gateway/profile/clinic/session';
    const asClinic = await app.call('POST', path, { token: clinic.clinicToken, body: {} });
    await expectRefusal(asClinic, 400, '/clientId', '/date', '/time', '/caregiverId', '/title');
  });

  it('title unless the Design Plan gives it', async () => {
    const titled = await createPlan({ planName: 'P', appointmentTitle: ' From the plan\t', appointmentDesc: 'Desc' });
    const untitled = await createPlan({ planName: 'P' });
    await expectRefusal(await create({ title: undefined, designPlanId: untitled }), 400, '/title');
    expect((await create({ title: undefined, designPlanId: titled })).status).toBe(201);
    expect(await sessions()).toMatchObject([{ title: 'From the plan', description: 'Desc', designPlanId: titled }]);
  });
});

describe('date, time', () => {
  it.each(['2023/02/29', '2027-03-01', '1/3/27', '2027/13/01', '0000/01/01', '2027/3/1', '', 20270301])(
    'refuses the date %j',
    async (date) => {
      await expectRefusal(await create({ date }), 400, '/date');
    },
  );

  it.each(['9:30', '24:00', '09:60', '09:30:00', '9:30 AM', '', 930])('refuses the time %j', async (time) => {
    await expectRefusal(await create({ time }), 400, '/time');
  });

  it('a title is stored without surrounding whitespace, which does not count for its length', async () => {
    const title = 'T'.repeat(200);
    expect((await create({ title: `  ${title}\n ` })).status).toBe(201);
    const stored = await app.asSuperuser((em) => em.findOneOrFail(Session, { clinicId: clinic.clinicId }));
    expect(stored.title).toBe(title);
  });

  it('past dates are allowed', async () => {
    expect((await create({ date: '1999/12/31', time: '23:59' })).status).toBe(201);
    expect(await starts()).toEqual(['1999-12-31T23:59:00Z']);
  });

  it('a time that a daylight-saving jump skips moves forward by the gap; one that occurs twice is the first', async () => {
    const skipped = await create({ date: '2027/03/28', time: '01:30' });
    expect(skipped.body.message).toMatch(
      /^1 Session was created: \d+\. TIME_SKIPPED: The clock skips 01:30 that day: the Session is at 02:30\.$/,
    );
    const repeated = await create({ date: '2027/10/31', time: '01:30' });
    expect(repeated.body.message).toMatch(/^1 Session was created: \d+\.$/);
    expect(await starts()).toEqual(['2027-03-28T01:30:00Z', '2027-10-31T00:30:00Z']);
  });

  it('years that cannot be stored are refused, also when only the series reaches them', async () => {
    await expectRefusal(await create({ date: '9999/12/30', sessionCount: 2 }), 400, '/date');
    await expectRefusal(await create({ date: '0001/01/01', time: '00:00' }, { offset: '840' }), 400, '/date');
    expect((await create({ date: '9999/12/30' })).status).toBe(201);
  });

  it('local dates beyond these years are refused, too, also if only the end is beyond them', async () => {
    const last = { date: '9999/12/31', time: '05:00', sessionCount: 2, intervalDays: 1 };
    await expectRefusal(await create(last, { offset: '840' }), 400, '/date');
    // With 50 minutes, these Sessions end at 00:00 and 23:59.
    await expectRefusal(await create({ ...last, sessionCount: 1, time: '23:10' }, { offset: '840' }), 400, '/date');
    expect((await create({ ...last, sessionCount: 1, time: '23:09' }, { offset: '840' })).status).toBe(201);
  });
});

describe('offset header', () => {
  // The Clinic has winter time both now and at the time of the Session. None of the offsets is that of the Clinic.
  it.each([
    ['330', '2027-03-01T04:00:00Z', '+05:30'],
    ['-210', '2027-03-01T13:00:00Z', '-03:30'],
    ['+60', '2027-03-01T08:30:00Z', '+01:00'],
    ['840', '2027-02-28T19:30:00Z', '+14:00'],
    ['-840', '2027-03-01T23:30:00Z', '-14:00'],
  ])('%s', async (offset, startsAt, timeZone) => {
    expect((await create({}, { offset })).status).toBe(201);
    expect(await starts()).toEqual([startsAt]);
    expect(await sessions()).toMatchObject([{ timeZone, plannedDate: '2027-03-01', plannedTime: '09:30' }]);
  });

  it.each([
    ['summer, by its own offset', '2027/06/01', '60', '2027-06-01T08:30:00Z', 'Europe/London'],
    ['summer, by the offset of now', '2027/06/01', '0', '2027-06-01T08:30:00Z', 'Europe/London'],
    ['winter, by the offset of now', '2027/03/01', '0', '2027-03-01T09:30:00Z', 'Europe/London'],
    ['winter, by the offset of summer', '2027/03/01', '60', '2027-03-01T08:30:00Z', '+01:00'],
  ])('that agrees with the zone of the Clinic means the zone: %s', async (_what, date, offset, startsAt, timeZone) => {
    const { status, body } = await create({ date }, { offset });
    expect(status).toBe(201);
    expect(await starts()).toEqual([startsAt]);
    expect(await sessions()).toMatchObject([{ timeZone }]);
    const warning =
      / FIXED_OFFSET: The Sessions are planned at the fixed offset \+01:00, which differs from the Clinic's time zone: /;
    expect(warning.test(body.message)).toBe(timeZone === '+01:00');
  });

  it('a series keeps its local time across a clock change', async () => {
    await create({ date: '2027/03/22', sessionCount: 3 }, { offset: '0' });
    expect(await starts()).toEqual(['2027-03-22T09:30:00Z', '2027-03-29T08:30:00Z', '2027-04-05T08:30:00Z']);
  });

  it.each(['841', '-841', '1.5', 'x', '', '1e2', '99999', '0x10'])('refuses %j', async (offset) => {
    await expectRefusal(await create({}, { offset }), 400, '/offset');
  });
});

describe('sessionCount', () => {
  it.each([undefined, null, 0, 1])('%j: one Session', async (sessionCount) => {
    expect((await create({ sessionCount })).body.message).toMatch(/^1 Session was created/);
    expect(await sessions()).toHaveLength(1);
  });

  it('up to 100', async () => {
    expect((await create({ sessionCount: 100, intervalDays: 1 })).status).toBe(201);
    expect(await sessions()).toHaveLength(100);
  });

  it.each([-1, 1.5, 101, '2', true, []])('refuses %j', async (sessionCount) => {
    await expectRefusal(await create({ sessionCount }), 400, '/sessionCount');
  });

  it('all or nothing: an unknown Book in a call of ten stores nothing', async () => {
    const answer = await create({ sessionCount: 10, remindDays: 1, bookIdList: [clinic.ownBookId, 999_999] });
    await expectRefusal(answer, 422, '/bookIdList/1');
    expect(await homework()).toHaveLength(0);
    expect(await reminders()).toHaveLength(0);
  });
});

describe('Spacing', () => {
  it('one every seven days at the same local time, or every intervalDays', async () => {
    await create({ sessionCount: 3, date: '2027/03/21', time: '10:00' });
    expect(await starts()).toEqual(['2027-03-21T10:00:00Z', '2027-03-28T09:00:00Z', '2027-04-04T09:00:00Z']);
    expect(new Set((await sessions()).map((session) => session.seriesId)).size).toBe(1);
    clinic = await app.createClinic('America/Los_Angeles');
    await create({ sessionCount: 2, intervalDays: 365 });
    expect(await starts()).toEqual(['2027-03-01T17:30:00Z', '2028-02-29T17:30:00Z']);
  });

  it.each([0, 366, -7, 1.5, '7'])('refuses intervalDays %j', async (intervalDays) => {
    await expectRefusal(await create({ intervalDays }), 400, '/intervalDays');
  });
});

describe('bookIdList', () => {
  it.each([undefined, null, []])('%j: no homework', async (bookIdList) => {
    expect((await create({ bookIdList })).status).toBe(201);
    expect(await homework()).toHaveLength(0);
  });

  it('every Book becomes homework of every Session; duplicates are folded', async () => {
    const { ownBookId, sharedBookId } = clinic;
    await create({ sessionCount: 2, bookIdList: [sharedBookId, ownBookId, sharedBookId] });
    const ids = (await sessions()).map((session) => session.id);
    const rows = (await homework()).map(({ sessionId, bookId }) => [sessionId, bookId]);
    expect(rows).toEqual(
      ids.flatMap((id) => [
        [id, sharedBookId],
        [id, ownBookId],
      ]),
    );
  });

  it('refuses a Book that is unknown, of another Clinic, or deactivated: the same 422', async () => {
    const other = await app.createClinic();
    await app.asSuperuser((em) => em.nativeUpdate(Book, { id: clinic.ownBookId }, { active: false }));
    for (const bookId of [999_999, other.ownBookId, clinic.ownBookId]) {
      await expectRefusal(await create({ bookIdList: [clinic.sharedBookId, bookId] }), 422, '/bookIdList/1');
    }
  });

  it.each([['1'], [0], [-1], [1.5], [null]])('refuses [%j]', async (bookId) => {
    await expectRefusal(await create({ bookIdList: [bookId] }), 400, '/bookIdList/0');
  });
});

describe('clinicId, caregiverId, clientId, designPlanId', () => {
  it("clinicId: the caller's, or 0, null and absent; another's is 403", async () => {
    const other = await app.createClinic();
    await expectRefusal(await create({ clinicId: other.clinicId }), 403);
    await expectRefusal(await create({ clinicId: 999_999 }), 403);
    for (const clinicId of [clinic.clinicId, 0, null]) expect((await create({ clinicId })).status).toBe(201);
  });

  it('caregiverId: absent is the caller; another of the Clinic is allowed; else 422', async () => {
    const other = await app.createClinic();
    await expectRefusal(await create({ caregiverId: other.careProviderIds[0] }), 422, '/caregiverId');
    await expectRefusal(await create({ caregiverId: 999_999 }), 422, '/caregiverId');
    await expectRefusal(await create({ CareProviderId: 999_999, caregiverId: 0 }), 422, '/CareProviderId');
    await create();
    await create({ caregiverId: clinic.careProviderIds[1], date: '2027/03/02' });
    expect((await sessions()).map((session) => session.caregiverId)).toEqual(clinic.careProviderIds);
  });

  it('clientId: unknown, foreign and unassigned Clients all get the same 422', async () => {
    const other = await app.createClinic();
    const bodies = [];
    for (const clientId of [999_999, other.clientIds[0], clinic.clientIds[2]]) {
      const answer = await create({ clientId });
      await expectRefusal(answer, 422, '/clientId');
      bodies.push({ ...answer.body, instance: '' });
    }
    expect(bodies[1]).toEqual(bodies[0]);
    expect(bodies[2]).toEqual(bodies[0]);
  });

  it('designPlanId: fills an absent title and description, brings no homework; not of the Clinic is 422', async () => {
    const weeks = [{ assignments: [{ bookId: clinic.ownBookId }] }];
    const plan = await createPlan({ planName: 'P', appointmentTitle: 'T', appointmentDesc: 'D', weeks });
    await create({ designPlanId: plan, description: 'Mine' });
    expect(await sessions()).toMatchObject([{ title: 'Hello', description: 'Mine', designPlanId: plan }]);
    expect(await homework()).toHaveLength(0);
    clinic = await app.createClinic();
    await expectRefusal(await create({ designPlanId: plan }), 422, '/designPlanId');
    await expectRefusal(await create({ designPlanId: 999_999 }), 422, '/designPlanId');
  });

  it('all invalid references are reported together', async () => {
    const answer = await create({
      clientId: 999_999,
      caregiverId: 999_998,
      designPlanId: 999_997,
      bookIdList: [999_996],
    });
    await expectRefusal(answer, 422, '/clientId', '/caregiverId', '/designPlanId', '/bookIdList/0');
  });
});

describe('remindDays', () => {
  it('two reminders for each Session, at the same local time that many days after its creation', async () => {
    app.clock.set('2027-03-27T18:00:00Z');
    await create({ sessionCount: 2, remindDays: 1 });
    const rows = await reminders();
    expect(rows.map((row) => row.dueAt.toString())).toEqual(Array(4).fill('2027-03-28T17:00:00Z'));
    const ids = (await sessions()).map((session) => session.id);
    expect(rows.map((row) => [row.sessionId, row.recipientKind, row.recipientId])).toEqual(
      ids.flatMap((id) => [
        [id, 'CLIENT', clinic.clientIds[0]],
        [id, 'CARE_PROVIDER', clinic.careProviderIds[0]],
      ]),
    );
  });

  it('counts in the zone of the request', async () => {
    app.clock.set('2027-03-27T18:00:00Z');
    await create({ remindDays: 1 }, { offset: '330' });
    expect((await reminders()).map((row) => row.dueAt.toString())).toEqual(Array(2).fill('2027-03-28T18:00:00Z'));
  });

  it.each([undefined, null])('%j: none', async (remindDays) => {
    await create({ remindDays });
    expect(await reminders()).toHaveLength(0);
  });

  it.each([-1, 3651, 1.5, '1', true])('refuses %j', async (remindDays) => {
    await expectRefusal(await create({ remindDays }), 400, '/remindDays');
  });

  it('0: exactly two deliveries, one for each recipient, and no more on the next look', async () => {
    await create({ remindDays: 0 });
    const before = app.deliveredMessages.length;
    expect(await app.deliverDueReminders()).toBe(2);
    expect(await app.deliverDueReminders()).toBe(0);
    const recipients = app.deliveredMessages.slice(before).map(({ recipient: { kind, id } }) => ({ kind, id }));
    expect(recipients).toHaveLength(2);
    expect(recipients).toEqual(
      expect.arrayContaining([
        { kind: 'CLIENT', id: clinic.clientIds[0] },
        { kind: 'CARE_PROVIDER', id: clinic.careProviderIds[0] },
      ]),
    );
    expect((await reminders()).map((row) => row.status)).toEqual(['SENT', 'SENT']);
  });

  it('3650: due in ten years, and not before', async () => {
    await create({ remindDays: 3650 });
    app.clock.set('2036-11-18T09:59:59Z');
    await app.deliverDueReminders();
    expect((await reminders()).map((row) => row.status)).toEqual(['PENDING', 'PENDING']);
    app.clock.set('2036-11-18T10:00:00Z');
    expect(await app.deliverDueReminders()).toBe(2);
  });
});

describe('Extension reminders', () => {
  it("relative to the Session's start: calendar units in local time, clock units exact, each for both", async () => {
    await create({ date: '2027/03/28', time: '10:00', reminders: ['-P1D', '-PT24H', 'P1D', '-P1D', '-p1d'] });
    const due = (await reminders()).map((row) => row.dueAt.toString());
    expect(due).toEqual(
      ['2027-03-27T09:00:00Z', '2027-03-27T10:00:00Z', '2027-03-29T09:00:00Z'].flatMap((instant) => [instant, instant]),
    );
  });

  it.each([['1D'], [''], [5], ['P'], ['-P99Y'], [`P${'0'.repeat(30)}1D`]])('refuses [%j]', async (offset) => {
    await expectRefusal(await create({ reminders: [offset] }), 400, '/reminders/0');
  });

  it('refuses more than ten', async () => {
    await expectRefusal(await create({ reminders: Array(11).fill('-P1D') }), 400, '/reminders');
  });
});

describe('rules for both operations', () => {
  it('Both spellings: either works, equal is fine, different is 400 naming the two', async () => {
    const [first, second] = clinic.careProviderIds;
    expect((await create({ title: undefined, Title: 'A' })).status).toBe(201);
    expect((await create({ CareProviderId: second, date: '2027/03/02' })).status).toBe(201);
    expect(
      (await create({ Title: 'Hello', caregiverId: first, CareProviderId: first, date: '2027/03/03' })).status,
    ).toBe(201);
    expect((await sessions()).map(({ title, caregiverId }) => [title, caregiverId])).toEqual([
      ['A', first],
      ['Hello', second],
      ['Hello', first],
    ]);
    clinic = await app.createClinic();
    await expectRefusal(await create({ Title: 'Other' }), 400, '/title', '/Title');
    await expectRefusal(await create({ caregiverId: 1, CareProviderId: 2 }), 400, '/caregiverId', '/CareProviderId');
  });

  it('Unknown fields are ignored', async () => {
    expect((await create({ colour: 'blue', nested: { a: [1] } })).status).toBe(201);
  });

  it.each([
    ['clientId', '1'],
    ['clientId', 1.5],
    ['clientId', 2 ** 53],
    ['clientId', -1],
    ['clientId', true],
    ['title', 5],
    ['caregiverId', '0'],
    ['bookIdList', {}],
    ['bookIdList', '1'],
  ])('JSON types: %s %j is 400', async (field, value) => {
    await expectRefusal(await create({ [field]: value }), 400, `/${field}`);
  });

  it.each([
    ['clientId', 2 ** 53, 'must be at most 9007199254740991'],
    ['clientId', -(2 ** 53), 'must be 1 or more'],
    ['caregiverId', 2 ** 53, 'must be at most 9007199254740991'],
    ['sessionCount', 2 ** 53, 'must be from 0 to 100'],
    ['remindDays', -(2 ** 53), 'must be from 0 to 3650'],
    ['bookIdList', [2 ** 53], 'must be at most 9007199254740991'],
  ])('%s %j: one error, which names the bound', async (field, value, detail) => {
    const { status, body } = await create({ [field]: value });
    const pointer = Array.isArray(value) ? `/${field}/0` : `/${field}`;
    expect([status, body.errors]).toEqual([400, [{ pointer, detail }]]);
  });

  it.each(['9007199254740992', '99999999999999999999'])(
    'the id %s in a path: the error names the bound',
    async (id) => {
      const { status, body } = await app.call('GET', `${PATH}/${id}`, { token: clinic.careProviderToken });
      const errors = [{ pointer: '/id', detail: 'must be at most 9007199254740991' }];
      expect([status, body.errors]).toEqual([400, errors]);
    },
  );

  it.each(['bearer', 'Bearer', 'BEARER', 'bEaReR'])('Authorization scheme: %s', async (scheme) => {
    const headers = { authorization: `${scheme} ${clinic.careProviderToken}` };
    expect((await app.call('POST', PATH, { body: minimal(), headers })).status).toBe(201);
  });

  it.each([
    ['application/json', 201],
    ['application/json; charset=utf-8', 201],
    ['Application/JSON;charset="UTF-8"', 201],
    ['application/json; charset=latin1', 415],
    ['text/plain', 415],
    ['application/xml', 415],
    ['application/x-www-form-urlencoded', 415],
    ['multipart/form-data; boundary=x', 415],
  ])('Content type: %s is %i', async (type, status) => {
    expect((await create({}, { 'content-type': type })).status).toBe(status);
  });
});
