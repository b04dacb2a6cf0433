import { Book, CareProvider, Client, ClientAssignment, Clinic } from '../../src/directory/index.js';
import { TestApp, type TestResponse, type ClinicFixture } from '../support/app/test-app.js';

/* Tests every operation of the directory. Behaviour that all kinds of records share is tested for each kind. */

declare const TEST_DATABASE: 'embedded' | 'postgresql';

const NOBODY = 999_999_999;

type Kind = {
  name: string;
  path: string;
  /** Returns the token of the owner of such records: an administrator, or the Clinic of the test. */
  tokenOf: (clinic: ClinicFixture) => Promise<string> | string;
  entity: typeof Clinic | typeof Book | typeof CareProvider | typeof Client;
  /** A request body with only the required fields, and the other fields of the created record. */
  minimal: Record<string, unknown>;
  defaults: Record<string, unknown>;
  /** All fields that can be changed, each with a different value. */
  full: Record<string, unknown>;
  /** Invalid request bodies, and the fields that the errors point to. */
  invalid: [body: unknown, pointers: string[]][];
};

const person = {
  minimal: { name: 'Alex' },
  defaults: { externalId: null, active: true, name: 'Alex', email: null, timeZone: null, locale: null },
  full: { name: 'Åsa 👩‍⚕️', email: 'asa@example.org', timeZone: 'Asia/Kolkata', locale: 'sv-SE' },
  invalid: [
    [{}, ['/name']],
    [{ name: null }, ['/name']],
    [{ name: ' \t ' }, ['/name']],
    [{ name: 'x'.repeat(201) }, ['/name']],
    [{ name: 'nul\0' }, ['/name']],
    [{ name: '\ud800' }, ['/name']],
    [{ name: 'Alex', email: 'invalid' }, ['/email']],
    [{ name: 'Alex', email: `${'x'.repeat(250)}@example.org` }, ['/email']],
    [{ name: 'Alex', timeZone: 'Mars/Olympus' }, ['/timeZone']],
    [{ name: 'Alex', timeZone: 'PST' }, ['/timeZone']],
    [{ name: 'Alex', timeZone: 'E'.repeat(65) }, ['/timeZone']],
    [{ name: 'Alex', locale: 'no language at all' }, ['/locale']],
    [{ name: 5, email: 5, timeZone: 5, locale: 5 }, ['/name', '/email', '/timeZone', '/locale']],
  ] as Kind['invalid'],
};
const book = {
  entity: Book,
  minimal: { title: 'Sleep' },
  defaults: { externalId: null, active: true, title: 'Sleep', description: null, link: null },
  full: { title: 'Sömn 😴', description: 'En sida varje natt.', link: 'https://example.org/somn?a=1#b' },
  invalid: [
    [{}, ['/title']],
    [{ title: '' }, ['/title']],
    [{ title: 'x'.repeat(301) }, ['/title']],
    [{ title: 'nul\0' }, ['/title']],
    [{ title: 5 }, ['/title']],
    [{ title: 'Sleep', description: ' ' }, ['/description']],
    [{ title: 'Sleep', description: 'x'.repeat(2_001) }, ['/description']],
    [{ title: 'Sleep', link: 'http://example.org' }, ['/link']],
    [{ title: 'Sleep', link: 'javascript:alert(1)' }, ['/link']],
    [{ title: 'Sleep', link: 'https://user:password@example.org' }, ['/link']],
    [{ title: 'Sleep', link: 'https://a b' }, ['/link']],
    [{ title: 'Sleep', link: `https://example.org/${'x'.repeat(2_000)}` }, ['/link']],
    [{ title: 'Sleep', link: 'https://example.org/\0' }, ['/link']],
  ] as Kind['invalid'],
};

const kinds: Kind[] = [
  {
    name: 'Clinic',
    path: '/gateway/admin/clinic',
    tokenOf: () => app.createToken('ADMIN'),
    entity: Clinic,
    minimal: { name: 'North', timeZone: 'Europe/London' },
    defaults: { externalId: null, active: true, name: 'North', timeZone: 'Europe/London' },
    full: { name: 'Süd', timeZone: 'America/Los_Angeles' },
    invalid: [
      [{}, ['/name', '/timeZone']],
      [{ name: 'North' }, ['/timeZone']],
      [{ name: 'North', timeZone: null }, ['/timeZone']],
      [{ name: 'North', timeZone: 'UTC+1' }, ['/timeZone']],
      [{ name: 'North', timeZone: 'US/Pacific-New' }, ['/timeZone']],
      [{ name: '', timeZone: 'Europe/London' }, ['/name']],
      [{ name: 'nul\0', timeZone: 'Europe/London' }, ['/name']],
    ],
  },
  { name: 'Book of the catalogue', path: '/gateway/admin/book', tokenOf: () => app.createToken('ADMIN'), ...book },
  {
    name: 'Care Provider',
    path: '/gateway/profile/clinic/care-provider',
    tokenOf: ({ clinicToken }) => clinicToken,
    entity: CareProvider,
    ...person,
  },
  {
    name: 'Client',
    path: '/gateway/profile/clinic/client',
    tokenOf: ({ clinicToken }) => clinicToken,
    entity: Client,
    ...person,
  },
  {
    name: 'Book of a Clinic',
    path: '/gateway/profile/clinic/book',
    tokenOf: ({ clinicToken }) => clinicToken,
    ...book,
  },
];
const ofClinics = kinds.filter(({ path }) => path.startsWith('/gateway/profile/clinic/'));

let app: TestApp;
let clinic: ClinicFixture;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());
beforeEach(async () => {
  clinic = await app.createClinic();
});

let ordinal = 0;
/**
 * Returns an external ID that no other test uses. Those of Clinics and of shared Books must be unique across all tests.
 */
const newExternalId = () => `ehr ${(ordinal += 1)}/ü`;
const externalPath = (path: string, externalId: string) => `${path}/external/${encodeURIComponent(externalId)}`;
const errorsOf = (answer: TestResponse) => (answer.body.errors as { pointer: string }[]).map(({ pointer }) => pointer);
const withoutInstance = ({ status, body }: TestResponse) => ({ status, body: { ...body, instance: '' } });
/** Calls an operation as the owner of records of this kind: an administrator, or the Clinic of the test. */
const as = async (kind: Kind, method: string, path: string, body?: unknown, owner = clinic) =>
  app.call(method, path, { token: await kind.tokenOf(owner), body });
const create = async (kind: Kind, body: unknown = kind.minimal, owner = clinic): Promise<string> => {
  const answer = await as(kind, 'POST', kind.path, body, owner);
  expect(answer.status).toBe(201);
  return answer.headers.get('location')!;
};
/** Reads all items of a list, page by page. */
const everything = async (list: string, token: string) => {
  const items: { id: number; clinicId?: number | null }[] = [];
  let cursor: string | null = null;
  do {
    const next: string = cursor === null ? '' : `&cursor=${cursor}`;
    const { status, body } = await app.call('GET', `${list}${next}`, { token });
    expect(status).toBe(200);
    const limit = Number(new URL(list, app.url).searchParams.get('limit'));
    expect(body.items.length).toBeLessThanOrEqual(limit);
    items.push(...body.items);
    cursor = body.nextCursor;
  } while (cursor !== null);
  return items;
};
/** Counts the records with an external ID. Compares in the test, because the database stores encrypted external IDs. */
const rowsOf = async (kind: Kind, externalId: string) => {
  const rows = await app.asSuperuser((em) => em.find<{ externalId: string | null }>(kind.entity, {}));
  return rows.filter((row) => row.externalId === externalId).length;
};

describe.each(kinds)('$name', (kind) => {
  const { path, minimal, defaults, full, invalid } = kind;

  describe('POST', () => {
    it('registers a record, which can be read at its location', async () => {
      const externalId = newExternalId();
      const location = await create(kind, { ...minimal, ...full, externalId });
      expect(location).toMatch(new RegExp(`^${path}/[1-9]\\d*$`));
      const read = await as(kind, 'GET', location);
      expect(read.status).toBe(200);
      expect(read.body).toMatchObject({ ...full, externalId, id: Number(location.split('/').at(-1)), active: true });
      expect(read.body.createdAt).toBe(app.clock.now().toString({ fractionalSecondDigits: 3 }));
    });

    it('answers with an empty body', async () => {
      const answer = await as(kind, 'POST', path, minimal);
      expect([answer.text, answer.headers.get('content-length')]).toEqual(['', '0']);
    });

    it('requires only the required fields, and trims text', async () => {
      const [field, value] = Object.entries(minimal)[0]!;
      const location = await create(kind, { ...minimal, [field]: ` ${String(value)}\n` });
      expect((await as(kind, 'GET', location)).body).toMatchObject(defaults);
    });

    it('refuses id, clinicId and unknown fields', async () => {
      const externalId = newExternalId();
      const given = { ...minimal, externalId, id: NOBODY, clinicId: NOBODY, createdAt: 'x', extra: [] };
      const answer = await as(kind, 'POST', path, given);
      expect([answer.status, errorsOf(answer)]).toEqual([400, ['/id', '/clinicId', '/createdAt', '/extra']]);
      expect(await rowsOf(kind, externalId)).toBe(0);
    });

    it('refuses an external id that is taken', async () => {
      const externalId = newExternalId();
      await create(kind, { ...minimal, externalId });
      const again = await as(kind, 'POST', path, { ...minimal, externalId });
      expect(again.status).toBe(409);
      expect(again.body).toMatchObject({ type: 'urn:problem:conflict' });
      expect(await rowsOf(kind, externalId)).toBe(1);
    });

    it('registers any number of records without an external id', async () => {
      expect(await create(kind)).not.toBe(await create(kind));
      expect(await create(kind, { ...minimal, externalId: null })).toMatch(path);
    });

    it.each(invalid)('refuses %j', async (body, pointers) => {
      const answer = await as(kind, 'POST', path, body);
      expect(answer.status).toBe(400);
      expect(errorsOf(answer)).toEqual(pointers);
    });

    it.each([[''], [' '], ['x'.repeat(201)], ['nul\0'], [5]])('refuses the external id %j', async (externalId) => {
      const answer = await as(kind, 'POST', path, { ...minimal, externalId });
      expect([answer.status, errorsOf(answer)]).toEqual([400, ['/externalId']]);
    });

    it.each([[[]], ['text'], [null], [5]])('refuses the body %j', async (body) => {
      expect((await as(kind, 'POST', path, body)).status).toBe(400);
    });
  });

  describe('PUT by external id', () => {
    it('registers a record on the first call, and replaces it on later calls', async () => {
      const externalId = newExternalId();
      const first = await as(kind, 'PUT', externalPath(path, externalId), { ...minimal, ...full });
      expect(first.status).toBe(201);
      const location = first.headers.get('location')!;
      expect((await as(kind, 'GET', location)).body).toMatchObject({ ...full, externalId });
      const second = await as(kind, 'PUT', externalPath(path, externalId), minimal);
      expect([second.status, second.text, second.headers.get('location')]).toEqual([204, '', null]);
      // The record was replaced as a whole, so fields that are absent in the second request are cleared.
      expect((await as(kind, 'GET', location)).body).toMatchObject({ ...defaults, externalId });
      expect(await rowsOf(kind, externalId)).toBe(1);
    });

    it('keeps a record deactivated unless `active` is true', async () => {
      const externalId = newExternalId();
      const location = await create(kind, { ...minimal, externalId });
      await as(kind, 'DELETE', location);
      await as(kind, 'PUT', externalPath(path, externalId), minimal);
      expect((await as(kind, 'GET', location)).body.active).toBe(false);
      await as(kind, 'PUT', externalPath(path, externalId), { ...minimal, active: true });
      expect((await as(kind, 'GET', location)).body.active).toBe(true);
    });

    it('creates one record for many concurrent calls', async () => {
      const externalId = newExternalId();
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => as(kind, 'PUT', externalPath(path, externalId), minimal)),
      );
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).toEqual([201, ...Array<number>(19).fill(204)].sort());
      expect(await rowsOf(kind, externalId)).toBe(1);
    });

    it('gives each of many concurrent replacements a version of its own', async () => {
      const externalId = newExternalId();
      const location = await create(kind, { ...minimal, externalId });
      const [field] = Object.keys(minimal);
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          as(kind, 'PUT', externalPath(path, externalId), { ...minimal, [field!]: `Replacement ${index}` }),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(204));
      expect((await as(kind, 'GET', location)).body.version).toBe(21);
    });

    it.each(invalid)('refuses %j', async (body, pointers) => {
      const externalId = newExternalId();
      const answer = await as(kind, 'PUT', externalPath(path, externalId), body);
      expect([answer.status, errorsOf(answer)]).toEqual([400, pointers]);
      expect(await rowsOf(kind, externalId)).toBe(0);
    });

    it.each([['%00'], ['%20'], ['x'.repeat(201)]])('refuses the external id %s', async (externalId) => {
      expect((await as(kind, 'PUT', `${path}/external/${externalId}`, minimal)).status).toBe(400);
    });
  });

  describe('PATCH', () => {
    it('changes only the fields that are present', async () => {
      const location = await create(kind, { ...minimal, externalId: newExternalId() });
      let expected = (await as(kind, 'GET', location)).body;
      for (const [field, value] of Object.entries({ ...full, active: false })) {
        const answer = await as(kind, 'PATCH', location, { [field]: value });
        expected = { ...expected, [field]: value, version: Number(expected.version) + 1 };
        expect([answer.status, answer.body]).toEqual([200, expected]);
      }
      expect((await as(kind, 'GET', location)).body).toEqual(expected);
      expect((await as(kind, 'PATCH', location, {})).body).toEqual(expected);
    });

    it('takes the version in If-Match: 412 after another change, and any version without it', async () => {
      const location = await create(kind);
      const [field, value] = Object.entries(full)[0]!;
      const first = await as(kind, 'GET', location);
      expect([first.headers.get('etag'), first.body.version]).toEqual(['"1"', 1]);
      const token = await kind.tokenOf(clinic);
      const change = (body: object, tag: string) =>
        app.call('PATCH', location, { token, body, headers: { 'if-match': tag } });
      // If two callers have read the same version, only one of their changes succeeds.
      const both = await Promise.all([change({ [field]: value }, '"1"'), change({ active: false }, '"1"')]);
      expect(both.map(({ status }) => status).sort()).toEqual([200, 412]);
      const won = both.find(({ status }) => status === 200)!;
      expect([won.headers.get('etag'), won.body.version]).toEqual(['"2"', 2]);
      expect((await as(kind, 'GET', location)).body).toEqual(won.body);
      expect((await change({}, 'W/"x"')).status).toBe(412);
      expect((await change({}, '*')).status).toBe(400);
      expect((await as(kind, 'PATCH', location, { [field]: value, active: false })).body.version).toBe(3);
      expect((await change({ active: true }, '"3"')).headers.get('etag')).toBe('"4"');
    });

    it('cannot change ids', async () => {
      const location = await create(kind);
      const before = (await as(kind, 'GET', location)).body;
      const answer = await as(kind, 'PATCH', location, { id: NOBODY, clinicId: NOBODY });
      expect([answer.status, errorsOf(answer)]).toEqual([400, ['/id', '/clinicId']]);
      expect((await as(kind, 'GET', location)).body).toEqual(before);
    });

    it('sets and clears the external id, and refuses one that is taken', async () => {
      const [location, taken, externalId] = [await create(kind), newExternalId(), newExternalId()];
      await create(kind, { ...minimal, externalId: taken });
      expect((await as(kind, 'PATCH', location, { externalId })).body).toMatchObject({ ...defaults, externalId });
      const refused = await as(kind, 'PATCH', location, { ...full, externalId: taken });
      expect([refused.status, refused.body.detail]).toEqual([409, 'Another record has this externalId already.']);
      expect((await as(kind, 'PATCH', location, { externalId: ' ' })).status).toBe(400);
      expect((await as(kind, 'GET', location)).body).toMatchObject({ ...defaults, externalId });
      expect((await as(kind, 'PATCH', location, { externalId: null })).body).toMatchObject(defaults);
      expect(await create(kind, { ...minimal, externalId })).toMatch(path);
    });

    it.each([[{ active: 'false' }], [{ active: null }], [{ name: '', title: '' }], [{ name: null, title: null }]])(
      'refuses %j',
      async (body) => {
        const location = await create(kind);
        expect((await as(kind, 'PATCH', location, body)).status).toBe(400);
        expect((await as(kind, 'GET', location)).body).toMatchObject(defaults);
      },
    );
  });

  describe('DELETE', () => {
    it('deactivates a record, which PATCH can activate again', async () => {
      const location = await create(kind);
      for (let time = 0; time < 2; time += 1) {
        const answer = await as(kind, 'DELETE', location);
        expect([answer.status, answer.text]).toEqual([204, '']);
        expect((await as(kind, 'GET', location)).body).toMatchObject({ ...defaults, active: false });
      }
      expect((await as(kind, 'PATCH', location, { active: true })).body).toMatchObject(defaults);
    });
  });

  describe('GET of the list', () => {
    const locationsOf = async (query: string) =>
      (await everything(`${path}?limit=2${query}`, await kind.tokenOf(clinic))).map(({ id }) => `${path}/${id}`);

    it('lists each record once, in the order of creation, and filters by state', async () => {
      const made: string[] = [];
      for (let index = 0; index < 5; index += 1) made.push(await create(kind));
      for (const index of [1, 4]) await as(kind, 'DELETE', made[index]!);
      const all = await locationsOf('');
      expect(all.filter((location) => made.includes(location))).toEqual(made);
      expect(new Set(all).size).toBe(all.length);
      const active = await locationsOf('&active=true');
      expect(active.filter((location) => made.includes(location))).toEqual([made[0], made[2], made[3]]);
      const inactive = await locationsOf('&active=false');
      expect(inactive.filter((location) => made.includes(location))).toEqual([made[1], made[4]]);
      expect([...active, ...inactive].sort()).toEqual([...all].sort());
    });

    it.each(['limit=0', 'limit=201', 'limit=x', 'limit=', 'cursor=x', 'cursor=WyJ4Il0', 'active=yes'])(
      'refuses %s',
      async (query) => {
        const answer = await as(kind, 'GET', `${path}?${query}`);
        expect([answer.status, errorsOf(answer)]).toEqual([400, [`/${query.split('=', 1)[0]!}`]]);
      },
    );
  });

  it.each(['GET', 'PATCH', 'DELETE'])('%s of an unknown id is 404', async (method) => {
    const body = method === 'PATCH' ? {} : undefined;
    const answer = await as(kind, method, `${path}/${NOBODY}`, body);
    expect(answer.status).toBe(404);
    for (const id of ['0', '-1', '1.5', 'x', '%00', '9007199254740993', '99999999999999999999']) {
      expect([id, (await as(kind, method, `${path}/${id}`, body)).status]).toEqual([id, 400]);
    }
  });
});

describe.each(ofClinics)('$name, as another Clinic sees it', (kind) => {
  const { path, minimal, defaults } = kind;
  let other: ClinicFixture;
  beforeEach(async () => {
    other = await app.createClinic();
  });

  it.each(['GET', 'PATCH', 'DELETE'])('%s responds as for an unknown id, and changes nothing', async (method) => {
    const location = await create(kind);
    const before = (await as(kind, 'GET', location)).body;
    const body = method === 'PATCH' ? { [Object.keys(minimal)[0]!]: 'Taken over' } : undefined;
    const [foreign, unknown] = [
      await as(kind, method, location, body, other),
      await as(kind, method, `${path}/${NOBODY}`, body, other),
    ];
    expect(foreign.status).toBe(404);
    expect(withoutInstance(foreign)).toEqual(withoutInstance(unknown));
    expect((await as(kind, 'GET', location)).body).toEqual(before);
  });

  it('is not in the list', async () => {
    const id = Number((await create(kind)).split('/').at(-1));
    const items = await everything(`${path}?limit=200`, other.clinicToken);
    expect(items.map((item) => item.id)).not.toContain(id);
    expect(new Set(items.map(({ clinicId }) => clinicId ?? other.clinicId))).toEqual(new Set([other.clinicId]));
  });

  it('may have the same external id', async () => {
    const externalId = newExternalId();
    const mine = (await as(kind, 'PUT', externalPath(path, externalId), minimal)).headers.get('location')!;
    const changed = { [Object.keys(minimal)[0]!]: 'Other' };
    const first = await as(kind, 'PUT', externalPath(path, externalId), changed, other);
    expect(first.status).toBe(201);
    const theirs = first.headers.get('location')!;
    expect(theirs).not.toBe(mine);
    expect((await as(kind, 'PUT', externalPath(path, externalId), changed, other)).status).toBe(204);
    expect((await as(kind, 'GET', mine)).body).toMatchObject({ ...defaults, externalId, clinicId: clinic.clinicId });
    expect((await as(kind, 'GET', theirs, undefined, other)).body.clinicId).toBe(other.clinicId);
    expect((await as(kind, 'GET', mine, undefined, other)).status).toBe(404);
  });
});

describe('personal data', () => {
  it.each(['care-provider', 'client'])('must not be cached: %s', async (name) => {
    const path = `/gateway/profile/clinic/${name}`;
    const id = name === 'client' ? clinic.clientIds[0] : clinic.careProviderIds[0];
    const answers = [
      await app.call('GET', path, { token: clinic.clinicToken }),
      await app.call('GET', `${path}/${id}`, { token: clinic.clinicToken }),
      await app.call('PATCH', `${path}/${id}`, { token: clinic.clinicToken, body: {} }),
    ];
    for (const { headers } of answers) expect(headers.get('cache-control')).toBe('max-age=1, no-cache, no-store');
  });
});

describe('the shared catalogue', () => {
  const PATH = '/gateway/profile/clinic/book';

  it('can be read by a Clinic, beside its own Books', async () => {
    const { body } = await app.call('GET', `${PATH}/${clinic.sharedBookId}`, { token: clinic.clinicToken });
    expect(body).toMatchObject({ id: clinic.sharedBookId, clinicId: null, title: 'Shared' });
    const ids = (await everything(`${PATH}?limit=200`, clinic.clinicToken)).map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining([clinic.ownBookId, clinic.sharedBookId]));
  });

  it.each(['PATCH', 'DELETE'])('cannot be changed by a Clinic: %s', async (method) => {
    const path = `${PATH}/${clinic.sharedBookId}`;
    const body = method === 'PATCH' ? { title: 'Taken over' } : undefined;
    expect((await app.call(method, path, { token: clinic.clinicToken, body })).status).toBe(404);
    const read = await app.call('GET', path, { token: clinic.clinicToken });
    expect(read.body).toMatchObject({ title: 'Shared', active: true });
  });

  it('does not show the Books of Clinics to an administrator', async () => {
    const token = await app.createToken('ADMIN');
    for (const method of ['GET', 'DELETE'])
      expect((await app.call(method, `/gateway/admin/book/${clinic.ownBookId}`, { token })).status).toBe(404);
    const items = await everything('/gateway/admin/book?limit=200', token);
    expect(new Set(items.map(({ clinicId }) => clinicId))).toEqual(new Set([null]));
  });

  it('has its own external ids', async () => {
    const externalId = newExternalId();
    const [inCatalogue, ofClinic] = [kinds[1]!, kinds[4]!];
    const shared = await as(inCatalogue, 'PUT', externalPath(inCatalogue.path, externalId), { title: 'Shared one' });
    const own = await as(ofClinic, 'PUT', externalPath(ofClinic.path, externalId), { title: 'Own one' });
    expect([shared.status, own.status]).toEqual([201, 201]);
    expect((await as(inCatalogue, 'GET', shared.headers.get('location')!)).body.title).toBe('Shared one');
  });
});

describe('a deactivated record', () => {
  const deactivate = async (path: string, token: string) =>
    expect((await app.call('DELETE', path, { token })).status).toBe(204);
  const createPlan = (body: object = {}) =>
    app.call('POST', '/gateway/profile/clinic/design-plan', {
      token: clinic.clinicToken,
      body: { planName: 'A', ...body },
    });
  const createSession = (body: object = {}, token = clinic.careProviderToken) =>
    app.call('POST', '/gateway/profile/caregiver/session', {
      token,
      body: { clientId: clinic.clientIds[0], date: '2027/03/22', time: '09:30', title: 'A', ...body },
    });
  const withBook = (bookId: number) => ({ weeks: [{ assignments: [{ bookId }] }] });

  it('Clinic: its token and those of its Care Providers are refused, until it is back', async () => {
    const path = `/gateway/admin/clinic/${clinic.clinicId}`;
    await deactivate(path, await app.createToken('ADMIN'));
    const calls = [createPlan, createSession, () => app.call('GET', ofClinics[0]!.path, { token: clinic.clinicToken })];
    for (const call of calls) expect((await call()).status).toBe(403);
    for (const kind of ofClinics) {
      expect((await as(kind, 'POST', kind.path, kind.minimal)).status).toBe(403);
      expect((await as(kind, 'PUT', externalPath(kind.path, 'x'), kind.minimal)).status).toBe(403);
      for (const method of ['GET', 'DELETE']) expect((await as(kind, method, `${kind.path}/1`)).status).toBe(403);
    }
    await app.call('PATCH', path, { token: await app.createToken('ADMIN'), body: { active: true } });
    expect((await createPlan()).status).toBe(201);
    expect((await createSession()).status).toBe(201);
  });

  it('Care Provider: the token is refused, and no new record can refer to it', async () => {
    const [first, second] = clinic.careProviderIds;
    await deactivate(`/gateway/profile/clinic/care-provider/${first}`, clinic.clinicToken);
    expect((await createSession()).status).toBe(403);
    expect(
      (await app.call('GET', '/gateway/profile/caregiver/session', { token: clinic.careProviderToken })).status,
    ).toBe(403);
    const plan = await createPlan({ caregiverId: first });
    expect([plan.status, errorsOf(plan)]).toEqual([422, ['/caregiverId']]);
    const session = await createSession(
      { caregiverId: first, clientId: clinic.clientIds[2] },
      await app.createToken('CARE_PROVIDER', second),
    );
    expect([session.status, errorsOf(session)]).toEqual([422, ['/caregiverId']]);
  });

  it('Client: no new Session', async () => {
    const [client] = clinic.clientIds;
    expect((await createSession()).status).toBe(201);
    await deactivate(`/gateway/profile/clinic/client/${client}`, clinic.clinicToken);
    const answer = await createSession();
    expect([answer.status, errorsOf(answer)]).toEqual([422, ['/clientId']]);
    expect(withoutInstance(answer)).toEqual(withoutInstance(await createSession({ clientId: NOBODY })));
  });

  it.each(['own', 'shared'] as const)('Book: no new homework (%s)', async (shelf) => {
    const [id, path, token] = {
      own: [clinic.ownBookId, '/gateway/profile/clinic/book', clinic.clinicToken] as const,
      shared: [clinic.sharedBookId, '/gateway/admin/book', await app.createToken('ADMIN')] as const,
    }[shelf];
    expect((await createPlan(withBook(id))).status).toBe(201);
    await deactivate(`${path}/${id}`, token);
    const plan = await createPlan(withBook(id));
    expect([plan.status, errorsOf(plan)]).toEqual([422, ['/weeks/0/assignments/0/bookId']]);
    const session = await createSession({ bookIdList: [id] });
    expect([session.status, errorsOf(session)]).toEqual([422, ['/bookIdList/0']]);
  });

  it('has the same effect as a record that does not exist, for tokens that name it', async () => {
    const tokens = [await app.createToken('CLINIC', NOBODY), await app.createToken('CARE_PROVIDER', NOBODY)] as const;
    expect((await app.call('GET', ofClinics[0]!.path, { token: tokens[0] })).status).toBe(403);
    expect((await createSession({}, tokens[1])).status).toBe(403);
  });
});

describe('assignments of Clients', () => {
  const pathOf = (client: number, careProvider: number) =>
    `/gateway/profile/clinic/client/${client}/care-provider/${careProvider}`;
  const call = (method: string, client: number, careProvider: number, token = clinic.clinicToken) =>
    app.call(method, pathOf(client, careProvider), { token });
  const assignedTo = async (client: number): Promise<unknown> =>
    (await app.call('GET', `/gateway/profile/clinic/client/${client}`, { token: clinic.clinicToken })).body
      .careProviderIds;

  it('are created once, however often they are requested', async () => {
    const [client] = clinic.clientIds;
    const [first, second] = clinic.careProviderIds;
    for (let time = 0; time < 2; time += 1) {
      const answer = await call('PUT', client, second);
      expect([answer.status, answer.text]).toEqual([204, '']);
      expect(await assignedTo(client)).toEqual([first, second]);
    }
    const together = await Promise.all(Array.from({ length: 10 }, () => call('PUT', clinic.clientIds[1], second)));
    expect(together.map(({ status }) => status)).toEqual(Array(10).fill(204));
    const rows = await app.asSuperuser((em) => em.count(ClientAssignment, { clientId: clinic.clientIds[1] }));
    expect(rows).toBe(2);
  });

  it('end once, however often this is requested', async () => {
    const [client] = clinic.clientIds;
    const [first] = clinic.careProviderIds;
    for (let time = 0; time < 2; time += 1) {
      expect((await call('DELETE', client, first)).status).toBe(204);
      expect(await assignedTo(client)).toEqual([]);
    }
  });

  it('decide for which Clients a Care Provider may create Sessions', async () => {
    const [client] = clinic.clientIds;
    const [first, second] = clinic.careProviderIds;
    const session = async (careProvider: number) =>
      app.call('POST', '/gateway/profile/caregiver/session', {
        token: await app.createToken('CARE_PROVIDER', careProvider),
        body: { clientId: client, date: '2027/03/22', time: '09:30', title: 'A' },
      });
    expect([(await session(first)).status, (await session(second)).status]).toEqual([201, 422]);
    await call('PUT', client, second);
    await call('DELETE', client, first);
    expect([(await session(first)).status, (await session(second)).status]).toEqual([422, 201]);
  });

  it('show in the list of Clients', async () => {
    const { body } = await app.call('GET', '/gateway/profile/clinic/client', { token: clinic.clinicToken });
    const [first, second] = clinic.careProviderIds;
    expect((body.items as { careProviderIds: number[] }[]).map(({ careProviderIds }) => careProviderIds)).toEqual([
      [first],
      [first],
      [second],
    ]);
  });

  it.each(['PUT', 'DELETE'])('%s: foreign and unknown ids get the same 404', async (method) => {
    const other = await app.createClinic();
    const [client] = clinic.clientIds;
    const [careProvider] = clinic.careProviderIds;
    const unknown = withoutInstance(await call(method, NOBODY, careProvider));
    expect(unknown.status).toBe(404);
    for (const [one, two] of [
      [client, NOBODY],
      [client, other.careProviderIds[0]],
      [other.clientIds[0], careProvider],
      [other.clientIds[0], other.careProviderIds[0]],
    ] as const) {
      expect(withoutInstance(await call(method, one, two))).toEqual(unknown);
    }
    expect(await assignedTo(client)).toEqual([careProvider]);
    const theirs = await app.asSuperuser((em) => em.count(ClientAssignment, { clientId: other.clientIds[0] }));
    expect(theirs).toBe(1);
  });

  it('cannot be made with a deactivated record, but can be ended', async () => {
    const [first, second] = clinic.careProviderIds;
    const [client, otherClient] = clinic.clientIds;
    for (const path of [`care-provider/${first}`, `client/${otherClient}`])
      await app.call('DELETE', `/gateway/profile/clinic/${path}`, { token: clinic.clinicToken });
    for (const [ids, pointers] of [
      [[client, first], ['/careProviderId']],
      [[otherClient, second], ['/id']],
      [
        [otherClient, first],
        ['/id', '/careProviderId'],
      ],
    ] as const) {
      const answer = await call('PUT', ...ids);
      expect([answer.status, errorsOf(answer)]).toEqual([422, pointers]);
    }
    expect((await call('DELETE', client, first)).status).toBe(204);
    expect((await call('DELETE', otherClient, first)).status).toBe(204);
  });
});

describe('the demonstration directory', () => {
  let fresh: TestApp;
  beforeAll(async () => {
    fresh = await TestApp.start();
  });
  afterAll(() => fresh.stop());

  if (TEST_DATABASE === 'postgresql') {
    it('is not created in a PostgreSQL database', async () => {
      for (const entity of [Clinic, CareProvider, Client, Book, ClientAssignment])
        expect(await fresh.asSuperuser((em) => em.count<object>(entity))).toBe(0);
    });
    return;
  }

  it('has the documented ids', async () => {
    const clinics = await fresh.call('GET', '/gateway/admin/clinic', { token: await fresh.createToken('ADMIN') });
    expect(clinics.body.items).toMatchObject([
      { id: 1, name: 'Demo Clinic North', timeZone: 'Europe/London', active: true },
      { id: 2, name: 'Demo Clinic West', timeZone: 'America/Los_Angeles', active: true },
    ]);
    const seen = async (clinicId: number, path: string): Promise<unknown> => {
      const token = await fresh.createToken('CLINIC', clinicId);
      return (await fresh.call('GET', `/gateway/profile/clinic/${path}`, { token })).body.items;
    };
    expect(await seen(1, 'care-provider')).toMatchObject([{ id: 1 }, { id: 2 }]);
    expect(await seen(2, 'care-provider')).toMatchObject([{ id: 3 }]);
    expect(await seen(1, 'client')).toMatchObject([
      { id: 1, careProviderIds: [1] },
      { id: 2, careProviderIds: [1] },
      { id: 3, careProviderIds: [2] },
    ]);
    expect(await seen(2, 'client')).toMatchObject([{ id: 4, careProviderIds: [3] }]);
    const catalogue = [1, 2, 3, 4, 5, 6].map((id) => ({ id, clinicId: null }));
    expect(await seen(1, 'book')).toMatchObject([...catalogue, { id: 7, clinicId: 1 }]);
    expect(await seen(2, 'book')).toMatchObject([...catalogue, { id: 8, clinicId: 2 }]);
  });
});
