import { DesignPlan, DesignPlanRevision } from '../../src/design-plan/index.js';
import { interceptStatements } from '../support/database/statement-interceptor.js';
import { TestApp, type TestResponse, type RequestOptions, type ClinicFixture } from '../support/app/test-app.js';

/*
 * Tests replacing, archiving, restoring, cloning, exporting and importing Design Plans, and comparing their revisions.
 */

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

const call = (method: string, path: string, options: RequestOptions = {}): Promise<TestResponse> =>
  app.call(method, path, { token: clinic.clinicToken, ...options });
const create = async (body: object = {}): Promise<string> => {
  const answer = await call('POST', PATH, { body: { planName: 'Sleep', ...body } });
  expect(answer.status).toBe(201);
  return `${PATH}/${answer.headers.get('location')!.split('/').at(-1)!}`;
};
const week = (name: string, ordering: number, ...bookIds: number[]) => ({
  name,
  ordering,
  assignments: bookIds.map((bookId) => ({ bookId, assignReminds: [{ reminderDay: 1, time: '09:00' }] })),
});

describe('replace', () => {
  it('needs If-Match: 428 without, 412 when stale, 400 for several; nothing is stored', async () => {
    const path = await create();
    const body = { planName: 'Changed' };
    expect((await call('PUT', path, { body })).status).toBe(428);
    for (const tag of ['"2"', 'W/"1"', '1', '"x"']) {
      expect((await call('PUT', path, { body, headers: { 'if-match': tag } })).status).toBe(412);
    }
    expect((await call('PUT', path, { body, headers: { 'if-match': '*' } })).status).toBe(400);
    expect((await call('GET', path)).body).toMatchObject({ planName: 'Sleep', revision: 1 });
  });

  it('takes a plan back as it was read, and no other value of a read-only member', async () => {
    const path = await create({ caregiverId: clinic.careProviderIds[0], weeks: [week('A', 1, clinic.ownBookId)] });
    const { body: read, headers } = await call('GET', path);
    const put = (change: object, tag = headers.get('etag')!) =>
      call('PUT', path, { body: { ...read, ...change }, headers: { 'if-match': tag } });
    const pointers = async (change: object) => {
      const { status, body } = await put(change);
      return [status, ...(body.errors as { pointer: string }[]).map(({ pointer }) => pointer)];
    };
    expect(await pointers({ id: 999_999, revision: 2 })).toEqual([422, '/id', '/revision']);
    expect(await pointers({ version: 2, archived: true })).toEqual([422, '/version', '/archived']);
    expect(await pointers({ revision: '1', archived: 0 })).toEqual([400, '/revision', '/archived']);
    expect(await pointers({ verison: 1 })).toEqual([400, '/verison']);
    expect((await call('GET', path)).body).toEqual(read);
    const replaced = await put({ planName: 'Better sleep', id: 0, archived: null });
    expect(replaced.body).toEqual({ ...read, planName: 'Better sleep', revision: 2, version: 2 });
    // The header decides which version is replaced. Here it is outdated, so the request fails before the fields are
    // compared with the newer plan.
    expect((await put({})).status).toBe(412);
    expect((await put({ revision: 2, version: 2 }, replaced.headers.get('etag')!)).status).toBe(200);
  });

  it('takes back the longest plan, and names the weeks of a longer one', async () => {
    const bookId = clinic.ownBookId;
    const sizeOf = (weeks: object) => Buffer.byteLength(JSON.stringify(weeks));
    const weeks = Array.from({ length: 104 }, (_, place) => week('A', place + 1, ...Array<number>(50).fill(bookId)));
    const reminder = { reminderDay: 1, time: '09:00' };
    const missing = Math.floor((1_000_000 - sizeOf(weeks)) / (sizeOf(reminder) + 1));
    const assignments = weeks.flatMap((filled) => filled.assignments);
    for (let count = 0; count < missing; count += 1)
      assignments[count % assignments.length]!.assignReminds.push(reminder);
    weeks[0]!.name += 'x'.repeat(1_000_000 - sizeOf(weeks));
    // Each of these characters has six bytes in JSON.
    const texts = { appointmentTitle: '\u0001'.repeat(200), appointmentDesc: '\u0001'.repeat(4_000) };
    const path = await create({ ...texts, weeks });
    const { body: read, headers } = await call('GET', path);
    expect([sizeOf(read.weeks), sizeOf(read) > 1_024_000]).toEqual([1_000_000, true]);
    const put = (body: object) => call('PUT', path, { body, headers: { 'if-match': headers.get('etag')! } });
    weeks[0]!.name += 'x';
    expect(await put({ ...read, weeks })).toMatchObject({ status: 400, body: { errors: [{ pointer: '/weeks' }] } });
    expect(await put(read)).toMatchObject({ status: 200, body: { version: 1 } });
  });

  it('makes no revision for a plan that is sent back unchanged', async () => {
    const weeks = [week('B', 2, clinic.sharedBookId), week('A', 1, clinic.ownBookId)];
    const content = { planName: 'Sleep', appointmentTitle: 'T', caregiverId: clinic.careProviderIds[0], weeks };
    const path = await create(content);
    const { body: read, headers } = await call('GET', path);
    const tag = headers.get('etag')!;
    app.clock.advance({ hours: 1 });
    for (const body of [read, content]) {
      const answer = await call('PUT', path, { body, headers: { 'if-match': tag } });
      expect([answer.status, answer.headers.get('etag'), answer.body]).toEqual([200, tag, read]);
    }
    expect((await call('GET', `${path}/revision`)).body.items).toHaveLength(1);
    const changes = [
      { template: true },
      { createdDate: '2020/01/01' },
      { appointmentDesc: 'D' },
      { weeks: [weeks[1]] },
    ];
    for (const [index, change] of changes.entries()) {
      const body = { ...content, ...change };
      const answer = await call('PUT', path, { body, headers: { 'if-match': `"${index + 1}"` } });
      expect([answer.status, answer.body.revision, answer.body.version]).toEqual([200, index + 2, index + 2]);
    }
  });

  it('makes a new revision and keeps the earlier one readable', async () => {
    const path = await create({ createdDate: '2023/08/21 09:30', weeks: [week('A', 1, clinic.ownBookId)] });
    const tag = (await call('GET', path)).headers.get('etag')!;
    const body = { planName: 'Better sleep', appointmentTitle: 'T', weeks: [week('B', 1, clinic.sharedBookId)] };
    const replaced = await call('PUT', path, { body, headers: { 'if-match': tag } });
    expect(replaced.status).toBe(200);
    expect(replaced.headers.get('etag')).not.toBe(tag);
    expect(replaced.body).toMatchObject({
      planName: 'Better sleep',
      revision: 2,
      createdDate: '2023-08-21T08:30:00.000Z',
    });
    expect(replaced.body).toEqual((await call('GET', path)).body);

    expect((await call('GET', `${path}/revision/1`)).body).toMatchObject({
      planName: 'Sleep',
      revision: 1,
      supersededAt: app.clock.now().toString({ fractionalSecondDigits: 3 }),
      weeks: [{ name: 'A' }],
    });
    expect((await call('GET', `${path}/revision/2`)).body).toMatchObject({ revision: 2, supersededAt: null });
    expect((await call('GET', `${path}/revision/3`)).status).toBe(404);
    const stale = await call('PUT', path, { body, headers: { 'if-match': tag } });
    expect(stale.status).toBe(412);
  });

  it('keeps a Book and a Care Provider that were deactivated, and takes no others', async () => {
    const created = async (path: string, body: object) =>
      Number((await call('POST', path, { body })).headers.get('location')!.split('/').at(-1));
    const [book, otherBook] = [
      await created('/gateway/profile/clinic/book', { title: 'A' }),
      await created('/gateway/profile/clinic/book', { title: 'B' }),
    ];
    const [caregiverId, otherCaregiver] = clinic.careProviderIds;
    const path = await create({ caregiverId, weeks: [week('A', 1, book)] });
    for (const record of [
      `book/${book}`,
      `book/${otherBook}`,
      `care-provider/${caregiverId}`,
      `care-provider/${otherCaregiver}`,
    ])
      expect((await call('DELETE', `/gateway/profile/clinic/${record}`)).status).toBe(204);
    const { body: read, headers } = await call('GET', path);
    const put = (change: object, tag = headers.get('etag')!) =>
      call('PUT', path, { body: { ...read, ...change }, headers: { 'if-match': tag } });
    const refused = await put({ caregiverId: otherCaregiver, weeks: [week('A', 1, book, otherBook)] });
    expect([refused.status, refused.body.errors.map(({ pointer }: { pointer: string }) => pointer)]).toEqual([
      422,
      ['/caregiverId', '/weeks/0/assignments/1/bookId'],
    ]);
    const replaced = await put({ weeks: [week('A', 1, clinic.ownBookId), week('B', 2, book)] });
    expect([replaced.status, replaced.body.caregiverId, replaced.body.weeks.length]).toEqual([200, caregiverId, 2]);
    const removed = { ...read, version: 2, revision: 2, caregiverId: null, weeks: [] };
    expect((await put(removed, '"2"')).status).toBe(200);
    const again = await put({ version: 3, revision: 3 }, '"3"');
    expect(again.status).toBe(422);
  });

  it('names the first 100 of many Books that cannot be used', async () => {
    const path = await create();
    const weeks = ['A', 'B', 'C'].map((name, index) => week(name, index + 1, ...unknownBooks));
    const answer = await call('PUT', path, { body: { planName: 'P', weeks }, headers: { 'if-match': '"1"' } });
    expect([answer.status, answer.body.errors.length]).toEqual([422, 100]);
    expect(answer.body.errors[99].pointer).toBe('/weeks/1/assignments/49/bookId');
  });
  const unknownBooks = Array.from({ length: 50 }, (_, index) => 999_000 + index);

  it('rolls back: a Book that cannot be used leaves plan and revisions as they were', async () => {
    const path = await create();
    const body = { planName: 'Changed', weeks: [week('A', 1, 999_999)] };
    const answer = await call('PUT', path, { body, headers: { 'if-match': '"1"' } });
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toEqual([
      { pointer: '/weeks/0/assignments/0/bookId', detail: 'must be a Book that the Clinic may use' },
    ]);
    const { clinicId } = clinic;
    expect(await app.asSuperuser((em) => em.count(DesignPlanRevision, { clinicId }))).toBe(0);
    expect(await app.asSuperuser((em) => em.findOneOrFail(DesignPlan, { clinicId }))).toMatchObject({ version: 1 });
  });
});

describe('revisions', () => {
  it('are listed newest first, page by page', async () => {
    const path = await create();
    for (const version of [1, 2, 3, 4]) {
      const headers = { 'if-match': `"${version}"` };
      expect((await call('PUT', path, { body: { planName: `R${version + 1}` }, headers })).status).toBe(200);
    }
    const seen: number[] = [];
    let cursor = '';
    do {
      const { body } = await call('GET', `${path}/revision?limit=2${cursor}`);
      seen.push(...body.items.map((item: { revision: number }) => item.revision));
      cursor = body.nextCursor === null ? '' : `&cursor=${body.nextCursor as string}`;
    } while (cursor !== '');
    expect(seen).toEqual([5, 4, 3, 2, 1]);
  });

  it('name the cursor that is no revision in the error', async () => {
    const path = await create();
    const cursor = Buffer.from('[2147483648]').toString('base64url');
    expect(await call('GET', `${path}/revision?cursor=${cursor}`)).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/cursor', detail: 'must be the nextCursor of a page' }] },
    });
  });

  it.each(['0', '1000000000', 'x'])('refuse the number %s with the bounds', async (revision) => {
    const { status, body } = await call('GET', `${await create()}/revision/${revision}`);
    const errors = [{ pointer: '/revision', detail: 'must be an integer from 1 to 999999999' }];
    expect([status, body.errors]).toEqual([400, errors]);
  });

  it('are listed without reading their weeks, which can have a megabyte each', async () => {
    const path = await create({ weeks: [week('A', 1, clinic.ownBookId)] });
    const headers = { 'if-match': '"1"' };
    expect((await call('PUT', path, { body: { planName: 'Sleep' }, headers })).status).toBe(200);
    const statements: string[] = [];
    const untap = await interceptStatements(app, { before: (statement) => void statements.push(statement) });
    const { body } = await call('GET', `${path}/revision`).finally(untap);
    expect(body.items).toHaveLength(2);
    const reads = statements.filter((statement) => statement.includes('design_plan_revision'));
    expect(reads).toHaveLength(1);
    expect(reads[0]).not.toContain('weeks');
  });

  it('are compared: weeks, Books and reminders added, removed and moved', async () => {
    const { ownBookId, sharedBookId } = clinic;
    const path = await create({ weeks: [week('A', 1, ownBookId), week('B', 2)] });
    const body = { planName: 'Sleep', weeks: [week('A', 1), week('B', 2, ownBookId), week('C', 3, sharedBookId)] };
    await call('PUT', path, { body, headers: { 'if-match': '"1"' } });
    expect((await call('GET', `${path}/revision/1/diff/2`)).body).toEqual({
      weeks: { added: [{ name: 'C', ordering: 3 }], removed: [], moved: [] },
      books: {
        added: [{ bookId: sharedBookId, ordering: 3 }],
        removed: [],
        moved: [{ from: { bookId: ownBookId, ordering: 1 }, to: { bookId: ownBookId, ordering: 2 } }],
      },
      reminders: {
        added: [{ bookId: sharedBookId, ordering: 3, reminderDay: 1, time: '09:00' }],
        removed: [],
        moved: [
          {
            from: { bookId: ownBookId, ordering: 1, reminderDay: 1, time: '09:00' },
            to: { bookId: ownBookId, ordering: 2, reminderDay: 1, time: '09:00' },
          },
        ],
      },
    });
    expect((await call('GET', `${path}/revision/1/diff/9`)).status).toBe(404);
  });
});

describe('archive and restore', () => {
  it('takes a plan out of the list and brings it back; it can be read, but not replaced, meanwhile', async () => {
    const path = await create();
    const names = async (query = '') =>
      (await call('GET', `${PATH}${query}`)).body.items.map((item: { planName: string }) => item.planName);
    expect((await call('DELETE', path)).status).toBe(204);
    expect((await call('DELETE', path)).status).toBe(204);
    expect(await names()).toEqual([]);
    expect(await names('?archived=true')).toEqual(['Sleep']);
    const read = await call('GET', path);
    expect(read.body).toMatchObject({ archived: true });
    const headers = { 'if-match': read.headers.get('etag')! };
    expect((await call('PUT', path, { body: { planName: 'X' }, headers })).status).toBe(409);
    expect((await call('POST', `${path}/restore`)).status).toBe(204);
    expect(await names()).toEqual(['Sleep']);
  });
});

describe('list', () => {
  it('filters by name, Care Provider and template, and leaves the weeks out', async () => {
    await create({ planName: '100% sleep', caregiverId: clinic.careProviderIds[0] });
    await create({ planName: 'SLEEP_2', template: true });
    await create({ planName: 'Worry' });
    const names = async (query: string) =>
      (await call('GET', `${PATH}?sort=name&${query}`)).body.items.map((item: { planName: string }) => item.planName);
    expect(await names('name=Sleep')).toEqual(['100% sleep', 'SLEEP_2']);
    expect(await names('name=%25')).toEqual(['100% sleep']);
    expect(await names('name=_')).toEqual(['SLEEP_2']);
    expect(await names(`caregiverId=${clinic.careProviderIds[0]}`)).toEqual(['100% sleep']);
    expect(await names('template=true')).toEqual(['SLEEP_2']);
    expect((await call('GET', PATH)).body.items[0]).not.toHaveProperty('weeks');
  });

  it.each(['', '%20', '%09%20'])('refuses the blank name "%s", which would list all plans', async (name) => {
    await create();
    for (const query of ['', '&sort=name', '&sync=true']) {
      const { status, body } = await call('GET', `${PATH}?name=${name}${query}`);
      expect([status, body.errors]).toEqual([400, [{ pointer: '/name', detail: 'must not be empty' }]]);
    }
  });

  it.each(['name', '-name', 'createdDate', '-createdDate'])('pages by %s: no row twice or missing', async (sort) => {
    for (let index = 0; index < 7; index += 1) {
      await create({ planName: `P${index % 3}`, createdDate: `2024/01/0${(index % 4) + 1}` });
    }
    const all = (await call('GET', `${PATH}?sort=${sort}`)).body.items;
    const paged: unknown[] = [];
    let cursor = '';
    do {
      const { body } = await call('GET', `${PATH}?sort=${sort}&limit=2${cursor}`);
      paged.push(...body.items);
      cursor = body.nextCursor === null ? '' : `&cursor=${body.nextCursor as string}`;
    } while (cursor !== '');
    expect(paged).toEqual(all);
    expect(paged).toHaveLength(7);
    const key = sort.replace('-', '').replace(/^name$/, 'planName');
    const keys = paged.map((plan) => (plan as Record<string, string>)[key]!);
    expect(keys).toEqual(sort.startsWith('-') ? keys.toSorted().toReversed() : keys.toSorted());
  });

  it.each(['sort=updatedAt', 'sort=updatedAt&name=sleep'])(
    'leaves out no plan of ?%s when the last plan of a page changes before the next page',
    async (query) => {
      const paths: string[] = [];
      for (let count = 0; count < 4; count += 1) {
        app.clock.advance({ seconds: 1 });
        paths.push(await create());
      }
      const read = async (page: string): Promise<{ found: string[]; nextCursor: string | null }> => {
        const { body } = await call('GET', `${PATH}?${query}&limit=2${page}`);
        return { found: body.items.map(({ id }: { id: number }) => `${PATH}/${id}`), nextCursor: body.nextCursor };
      };
      const first = await read('');
      app.clock.advance({ seconds: 1 });
      await call('DELETE', paths[1]!);
      await call('POST', `${paths[1]!}/restore`);
      const second = await read(`&cursor=${first.nextCursor!}`);
      expect([first.found, second.found]).toEqual([paths.slice(0, 2), paths.slice(2)]);
      expect((await read(`&cursor=${second.nextCursor!}`)).found).toEqual([paths[1]]);
    },
  );

  it.each(['name', '-name'])(
    'pages by %s over names of any length, those that are equal by their ids',
    async (sort) => {
      const name = '\u{1F642}'.repeat(200);
      const ids = [];
      for (let count = 0; count < 3; count += 1) ids.push(Number((await create({ planName: name })).split('/').at(-1)));
      const found: number[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const { status, body } = await call('GET', `${PATH}?sort=${sort}&limit=1${cursor && `&cursor=${cursor}`}`);
        expect(status).toBe(200);
        found.push(...body.items.map(({ id }: { id: number }) => id));
        cursor = body.nextCursor;
      }
      expect(found).toEqual(sort === 'name' ? ids : ids.toReversed());
    },
  );

  it.each([
    'sort=weeks',
    'archived=maybe',
    'caregiverId=x',
    'cursor=zzz',
    'cursor=Wzk5OTk5OTk5OV0',
    'limit=0',
    'name=%00',
  ])('refuses %s', async (query) => {
    const answer = await call('GET', `${PATH}?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0].pointer).toBe(`/${query.split('=')[0]!}`);
  });
});

describe('clone, export and import', () => {
  it('clones a plan, from and to templates', async () => {
    const path = await create({ template: true, appointmentTitle: 'T', weeks: [week('A', 1, clinic.ownBookId)] });
    const answer = await call('POST', `${path}/clone`, { body: { planName: 'For night workers' } });
    expect(answer.status).toBe(201);
    const clone = (await call('GET', answer.headers.get('location')!)).body;
    const original = (await call('GET', path)).body;
    expect(clone).toEqual({
      ...original,
      id: clone.id,
      planName: 'For night workers',
      template: false,
      createdDate: app.clock.now().toString({ fractionalSecondDigits: 3 }),
    });
    expect(clone.id).not.toBe(original.id);
  });

  it('exports the content of the plan as a document that can be imported', async () => {
    const path = await create({ appointmentDesc: 'D', weeks: [week('A', 1, clinic.sharedBookId), week('B', 4)] });
    const document = (await call('GET', `${path}/export`)).body;
    const answer = await call('POST', `${PATH}/import`, { body: document });
    expect(answer.status).toBe(201);
    const imported = (await call('GET', answer.headers.get('location')!)).body;
    expect(imported).toEqual({ ...(await call('GET', path)).body, id: imported.id });
  });

  it('refuses a document with a Book of another Clinic, with a pointer into the document', async () => {
    const other = await app.createClinic();
    const plan = { planName: 'A', weeks: [week('A', 1, other.ownBookId)] };
    const answer = await call('POST', `${PATH}/import`, {
      body: { format: 'care-scheduling/design-plan', formatVersion: 1, plan },
    });
    expect(answer.status).toBe(422);
    expect(answer.body.errors[0].pointer).toBe('/plan/weeks/0/assignments/0/bookId');
    const wrong = await call('POST', `${PATH}/import`, { body: { format: 'x', formatVersion: 2, plan: {} } });
    expect(wrong.status).toBe(400);
    expect(wrong.body.errors.map((error: { pointer: string }) => error.pointer)).toEqual([
      '/format',
      '/formatVersion',
      '/plan/planName',
    ]);
  });
});

describe('access', () => {
  it('lets Care Providers of the Clinic read, and hides from other Clinics that a plan exists', async () => {
    const path = await create();
    const id = path.split('/').at(-1)!;
    const caregiverPath = '/gateway/profile/caregiver/design-plan';
    const token = clinic.careProviderToken;
    expect((await call('GET', `${caregiverPath}/${id}`, { token })).body).toEqual((await call('GET', path)).body);
    expect((await call('GET', caregiverPath, { token })).body.items).toHaveLength(1);

    const other = await app.createClinic();
    const stranger = { token: other.clinicToken, headers: { 'if-match': '"1"' } };
    const attempts: [string, string, object?][] = [
      ['GET', ''],
      ['PUT', '', { planName: 'X' }],
      ['DELETE', ''],
      ['POST', '/restore'],
      ['POST', '/clone', {}],
      ['GET', '/export'],
      ['GET', '/revision'],
      ['GET', '/revision/1'],
      ['GET', '/revision/1/diff/1'],
    ];
    for (const [method, suffix, body] of attempts) {
      const [foreign, absent] = [
        await call(method, `${path}${suffix}`, { ...stranger, body }),
        await call(method, `${PATH}/999999999${suffix}`, { ...stranger, body }),
      ];
      expect([method, suffix, foreign.status]).toEqual([method, suffix, 404]);
      expect({ ...foreign.body, instance: '' }).toEqual({ ...absent.body, instance: '' });
    }
    expect((await call('GET', `${caregiverPath}/${id}`, { token: other.careProviderToken })).status).toBe(404);
    expect((await call('GET', path)).body).toMatchObject({ planName: 'Sleep', archived: false, revision: 1 });
  });
});
