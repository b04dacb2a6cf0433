import { DesignPlan } from '../../src/design-plan/index.js';
import { Book, CareProvider } from '../../src/directory/index.js';
import { PUBLIC_URL, TestApp, type TestResponse, type ClinicFixture } from '../support/app/test-app.js';

/* Tests each line of "Design Plans" and of "Both operations" in docs/decisions.md. */

const PATH = '/gateway/profile/clinic/design-plan';

let app: TestApp;
let clinic: ClinicFixture;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());
beforeEach(async () => {
  clinic = await app.createClinic();
});

const create = (body: unknown, headers: Record<string, string> = {}): Promise<TestResponse> =>
  app.call('POST', PATH, { token: clinic.clinicToken, body, headers });
const named = (change: object = {}, headers: Record<string, string> = {}) =>
  create({ planName: 'A plan', ...change }, headers);
const stored = () =>
  app.asSuperuser((em) => em.find(DesignPlan, { clinicId: clinic.clinicId }, { orderBy: { id: 'asc' } }));
const withBook = (bookId: unknown, assignReminds?: unknown) => ({
  weeks: [{ assignments: [{ bookId, assignReminds }] }],
});

async function expectRefusal(answer: TestResponse, status: number, ...pointers: string[]): Promise<void> {
  expect([answer.status, answer.body.errors?.map((error: { pointer: string }) => error.pointer) ?? []]).toEqual([
    status,
    pointers,
  ]);
  expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  expect(await stored()).toHaveLength(0);
}

describe('who may call', () => {
  it('refuses a call without a token', async () => {
    const answer = await app.call('POST', PATH, { body: { planName: 'A' } });
    await expectRefusal(answer, 401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  it.each(['CARE_PROVIDER', 'CLIENT', 'ADMIN'] as const)('refuses the role %s', async (role) => {
    await expectRefusal(
      await app.call('POST', PATH, { token: await app.createToken(role, 1), body: { planName: 'A' } }),
      403,
    );
  });
});

describe('the answer', () => {
  it('Success status and Design plan response: 201, empty body, a location that answers like the long path', async () => {
    const answer = await named();
    expect(answer.status).toBe(201);
    expect(answer.text).toBe('');
    expect(answer.headers.get('content-length')).toBe('0');
    const location = answer.headers.get('location')!;
    expect(location).toMatch(/^\/design-plan\/\d+$/);
    const [short, long] = await Promise.all(
      [location, PATH + location.replace('/design-plan', '')].map((path) =>
        app.call('GET', path, { token: clinic.clinicToken }),
      ),
    );
    expect(short!.status).toBe(200);
    expect(short!.body).toEqual(long!.body);
    expect(short!.body).toMatchObject({ planName: 'A plan', clinicId: clinic.clinicId, caregiverId: null, weeks: [] });
  });

  it.each([
    [undefined, PUBLIC_URL],
    ['https://app.example.org', 'https://app.example.org'],
    [PUBLIC_URL, PUBLIC_URL],
    ['https://evil.example', PUBLIC_URL],
  ])('Response headers: every one of them, for the origin %s', async (origin, allowed) => {
    const headers: Record<string, string> = origin === undefined ? {} : { origin };
    for (const answer of [
      await named({}, headers),
      await create({}, headers),
      await app.call('GET', '/nowhere', { headers }),
    ]) {
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'cache-control': 'max-age=1, no-cache',
        pragma: 'no-cache',
        expires: '0',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'x-xss-protection': '1; mode=block',
        'access-control-allow-credentials': 'true',
        'access-control-allow-origin': allowed,
        vary: expect.stringMatching(/origin/i),
      });
      expect(answer.headers.has('x-powered-by')).toBe(false);
    }
  });

  it('stores what the example of the specification sends', async () => {
    const answer = await named(
      {
        createdDate: '21/8/23 9:30 AM',
        appointmentTitle: 'T',
        appointmentDesc: 'D',
        caregiverId: clinic.careProviderIds[0],
        clinicId: clinic.clinicId,
        weeks: [
          {
            name: 'W',
            ordering: 1,
            assignments: [{ assignReminds: [{ reminderDay: 3, time: '18:05' }], bookId: clinic.ownBookId }],
          },
        ],
      },
      { accept: '*/*', offset: '120' },
    );
    expect(answer.status).toBe(201);
    const [plan] = await stored();
    expect(plan).toMatchObject({
      planName: 'A plan',
      appointmentTitle: 'T',
      appointmentDesc: 'D',
      caregiverId: clinic.careProviderIds[0],
      clinicId: clinic.clinicId,
      weeks: [
        {
          name: 'W',
          ordering: 1,
          assignments: [{ assignReminds: [{ reminderDay: 3, time: '18:05' }], bookId: clinic.ownBookId }],
        },
      ],
    });
    expect(plan!.createdDate.toString()).toBe('2023-08-21T07:30:00Z');
  });
});

describe('Required', () => {
  it.each([undefined, null, '', '   ', 5, 'x'.repeat(201), '😀'.repeat(201)])(
    'the plan name is refused as %j',
    async (planName) => {
      await expectRefusal(await create({ planName }), 400, '/planName');
    },
  );

  it.each(['x', 'x'.repeat(200), '😀'.repeat(200)])('the plan name may be %j', async (planName) => {
    expect((await create({ planName })).status).toBe(201);
    expect(await stored()).toMatchObject([{ planName }]);
  });

  it('is stored trimmed; all else is optional', async () => {
    expect((await create({ planName: '  Sleep \n' })).status).toBe(201);
    expect(await stored()).toMatchObject([
      { planName: 'Sleep', caregiverId: null, appointmentTitle: null, appointmentDesc: null, weeks: [] },
    ]);
  });
});

describe('createdDate', () => {
  it.each([
    ['2023/08/21 09:30', '2023-08-21T08:30:00Z'],
    ['2023/08/21', '2023-08-20T23:00:00Z'],
    ['21/8/23 9:30 AM', '2023-08-21T08:30:00Z'],
    ['21/08/23 09:30 pm', '2023-08-21T20:30:00Z'],
    ['1/1/24 12:05 AM', '2024-01-01T00:05:00Z'],
    ['1/1/24 12:05 PM', '2024-01-01T12:05:00Z'],
    ['29/2/24 1:00 am', '2024-02-29T01:00:00Z'],
    ['2023-08-21T09:30:00Z', '2023-08-21T09:30:00Z'],
    ['2023-08-21T09:30:00.123+05:30', '2023-08-21T04:00:00.123Z'],
    ['2023-08-21T09:30', '2023-08-21T08:30:00Z'],
    ['2027/03/28 01:30', '2027-03-28T01:30:00Z'],
    ['2027/10/31 01:30', '2027-10-31T00:30:00Z'],
  ])('%s is %s on the wall clock of London', async (createdDate, instant) => {
    const answer = await named({ createdDate });
    expect(answer.status).toBe(201);
    expect((await stored()).map((plan) => plan.createdDate.toString())).toEqual([instant]);
    const read = await app.call('GET', answer.headers.get('location')!, { token: clinic.clinicToken });
    expect(read.body.createdDate).toBe(Temporal.Instant.from(instant).toString({ fractionalSecondDigits: 3 }));
  });

  it.each([
    '2023/02/29',
    '2023/02/29 10:00',
    '29/2/23 1:00 AM',
    '13/13/23 1:00 AM',
    '1/1/24 0:30 AM',
    '1/1/24 13:00 PM',
    '1/1/2024 1:00 AM',
    '2023/8/21',
    '2023-08-21',
    '2023/08/21 24:00',
    'yesterday',
    '',
    1692610200,
    '2023-02-29T10:00Z',
    '2023-08-21T25:00Z',
    '2023/08/21 09:30 ',
  ])('refuses %j', async (createdDate) => {
    await expectRefusal(await named({ createdDate }), 400, '/createdDate');
  });

  it('absent: now', async () => {
    await named();
    expect((await stored())[0]!.createdDate.equals(app.clock.now())).toBe(true);
  });

  it('offset header: says on which wall clock', async () => {
    await named({ createdDate: '2023/08/21 09:30' }, { offset: '-420' });
    expect((await stored())[0]!.createdDate.toString()).toBe('2023-08-21T16:30:00Z');
    clinic = await app.createClinic();
    await expectRefusal(await named({}, { offset: '900' }), 400, '/offset');
  });
});

describe('clinicId and caregiverId', () => {
  it("clinicId: absent, 0 and null are the caller's; another's is 403", async () => {
    const other = await app.createClinic();
    await expectRefusal(await named({ clinicId: other.clinicId }), 403);
    for (const clinicId of [undefined, 0, null, clinic.clinicId]) expect((await named({ clinicId })).status).toBe(201);
    expect((await stored()).every((plan) => plan.clinicId === clinic.clinicId)).toBe(true);
  });

  it('caregiverId: a Care Provider of that Clinic, else 422', async () => {
    const other = await app.createClinic();
    await expectRefusal(await named({ caregiverId: other.careProviderIds[0] }), 422, '/caregiverId');
    await expectRefusal(await named({ caregiverId: 999_999 }), 422, '/caregiverId');
    await app.asSuperuser((em) => em.nativeUpdate(CareProvider, { id: clinic.careProviderIds[1] }, { active: false }));
    await expectRefusal(await named({ caregiverId: clinic.careProviderIds[1] }), 422, '/caregiverId');
    expect((await named({ caregiverId: 0 })).status).toBe(201);
  });
});

describe('weeks', () => {
  it('0 to 104; absent and null are none', async () => {
    for (const weeks of [undefined, null, [], Array(104).fill({})]) expect((await named({ weeks })).status).toBe(201);
    clinic = await app.createClinic();
    await expectRefusal(await named({ weeks: Array(105).fill({}) }), 400, '/weeks');
    await expectRefusal(await named({ weeks: {} }), 400, '/weeks');
  });

  it('ordering: absent is the place in the list; stored and returned in order; name absent is Week <ordering>', async () => {
    const answer = await named({ weeks: [{ ordering: 7 }, { name: 'Second' }, { ordering: 0, name: null }] });
    const read = await app.call('GET', answer.headers.get('location')!, { token: clinic.clinicToken });
    expect(read.body.weeks).toEqual([
      { name: 'Week 0', ordering: 0, assignments: [] },
      { name: 'Second', ordering: 2, assignments: [] },
      { name: 'Week 7', ordering: 7, assignments: [] },
    ]);
  });

  it('ordering: unique within the plan', async () => {
    await expectRefusal(await named({ weeks: [{ ordering: 1 }, { ordering: 1 }] }), 400, '/weeks');
    await expectRefusal(await named({ weeks: [{ ordering: 2 }, {}] }), 400, '/weeks');
  });

  it.each([-1, 1.5, '1', 2 ** 53])('ordering: refuses %j', async (ordering) => {
    await expectRefusal(await named({ weeks: [{ ordering }] }), 400, '/weeks/0/ordering');
  });
});

describe('assignments', () => {
  it('0 to 50 a week', async () => {
    const assignments = (count: number) => ({
      weeks: [{ assignments: Array(count).fill({ bookId: clinic.ownBookId }) }],
    });
    expect((await named(assignments(50))).status).toBe(201);
    clinic = await app.createClinic();
    await expectRefusal(await named(assignments(51)), 400, '/weeks/0/assignments');
  });

  it('bookId is required', async () => {
    for (const bookId of [undefined, null, 0, -1, '1', 1.5]) {
      await expectRefusal(await named(withBook(bookId)), 400, '/weeks/0/assignments/0/bookId');
    }
  });

  it('bookId: its own or of the shared catalogue, else 422 with a pointer to each', async () => {
    const other = await app.createClinic();
    await app.asSuperuser((em) => em.nativeUpdate(Book, { id: other.sharedBookId }, { active: false }));
    const weeks = [clinic.ownBookId, other.ownBookId, clinic.sharedBookId, 999_999, other.sharedBookId].map(
      (bookId) => ({ assignments: [{ bookId }] }),
    );
    await expectRefusal(
      await named({ weeks }),
      422,
      '/weeks/1/assignments/0/bookId',
      '/weeks/3/assignments/0/bookId',
      '/weeks/4/assignments/0/bookId',
    );
  });
});

describe('assignReminds', () => {
  it('0 to 20 an assignment; reminderDay 1 to 7, 0 is read as 1', async () => {
    const reminds = (count: number) => withBook(clinic.ownBookId, Array(count).fill({ reminderDay: 0, time: '00:00' }));
    expect((await named(reminds(20))).status).toBe(201);
    expect((await stored())[0]!.weeks[0]!.assignments[0]!.assignReminds[0]).toEqual({ reminderDay: 1, time: '00:00' });
    clinic = await app.createClinic();
    await expectRefusal(await named(reminds(21)), 400, '/weeks/0/assignments/0/assignReminds');
  });

  it.each([
    [8, 'reminderDay'],
    [-1, 'reminderDay'],
    [1.5, 'reminderDay'],
    ['1', 'reminderDay'],
    [null, 'reminderDay'],
    ['24:00', 'time'],
    ['9:30', 'time'],
    ['09:30:00', 'time'],
    [930, 'time'],
    [null, 'time'],
  ])('refuses %j as %s', async (value, field) => {
    const remind = { reminderDay: 7, time: '23:59', [field]: value };
    await expectRefusal(
      await named(withBook(clinic.ownBookId, [remind])),
      400,
      `/weeks/0/assignments/0/assignReminds/0/${field}`,
    );
  });
});

describe('Text', () => {
  it('appointmentTitle up to 200, appointmentDesc up to 4000 characters', async () => {
    expect((await named({ appointmentTitle: 'é'.repeat(200), appointmentDesc: '😀'.repeat(4000) })).status).toBe(201);
    clinic = await app.createClinic();
    await expectRefusal(await named({ appointmentTitle: 'x'.repeat(201) }), 400, '/appointmentTitle');
    await expectRefusal(await named({ appointmentDesc: 'x'.repeat(4001) }), 400, '/appointmentDesc');
  });

  it.each(['😀👨‍👩‍👧', 'שלום עולם', 'e\u0301 ≠ é', '\u202Eabc', '<b>&amp;', "'; drop table clinic; --", '\ttab\nline'])(
    'Unicode passes through unchanged: %j',
    async (text) => {
      const answer = await named({ appointmentTitle: text, appointmentDesc: text });
      const read = await app.call('GET', answer.headers.get('location')!, { token: clinic.clinicToken });
      expect(read.body).toMatchObject({ appointmentTitle: text, appointmentDesc: text });
    },
  );

  it.each(['a\0b', '\ud800', 'x\udc00y'])('refuses %j', async (text) => {
    await expectRefusal(await named({ appointmentTitle: text }), 400, '/appointmentTitle');
    await expectRefusal(await create({ planName: text }), 400, '/planName');
    await expectRefusal(await named({ weeks: [{ name: text }] }), 400, '/weeks/0/name');
  });
});

describe('Both spellings, Unknown fields', () => {
  it('planName/name and createdDate/createDate', async () => {
    expect((await create({ name: 'Sleep', createDate: '2023/08/21' })).status).toBe(201);
    expect(
      (await create({ name: 'Sleep', planName: 'Sleep', createDate: '2023/08/21', createdDate: '2023/08/21' })).status,
    ).toBe(201);
    expect(await stored()).toMatchObject([{ planName: 'Sleep' }, { planName: 'Sleep' }]);
    clinic = await app.createClinic();
    await expectRefusal(await create({ name: 'A', planName: 'B' }), 400, '/planName', '/name');
    await expectRefusal(
      await named({ createDate: '2023/08/21', createdDate: '2023/08/22' }),
      400,
      '/createdDate',
      '/createDate',
    );
    await expectRefusal(await create({ name: ' ', createDate: '2023/02/29' }), 400, '/name', '/createDate');
  });

  it('unknown fields are ignored, at every level', async () => {
    const weeks = [
      {
        colour: 1,
        assignments: [
          { bookId: clinic.ownBookId, colour: 1, assignReminds: [{ reminderDay: 1, time: '10:00', colour: 1 }] },
        ],
      },
    ];
    expect((await named({ id: 'x', revision: 7, weeks })).status).toBe(201);
    expect(JSON.stringify((await stored())[0]!.weeks)).not.toContain('colour');
  });
});
