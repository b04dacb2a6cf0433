import { jest } from '@jest/globals';
import { sql } from 'kysely';
import { Book, CareProvider, Client, NameSearch } from '../../src/directory/index.js';
import { interceptStatements } from '../support/database/statement-interceptor.js';
import { TestApp, type ClinicFixture } from '../support/app/test-app.js';

/* Tests search by name, sort order, paging and counts of the directory's lists. */

const NAMES = ['José Núñez', 'Anna Straße', 'Işık Demir', 'zoe', 'Ángel', 'josefine', 'Bob', 'bob', 'Ole Østergård'];
const SORTED = ['Ángel', 'Anna Straße', 'Bob', 'bob', 'Işık Demir', 'José Núñez', 'josefine', 'Ole Østergård', 'zoe'];

let app: TestApp;
let clinic: ClinicFixture;
let other: ClinicFixture;
let clientIds: Map<string, number>;
beforeAll(async () => {
  app = await TestApp.start();
  [clinic, other] = [await app.createClinic(), await app.createClinic()];
  clientIds = await addPeople(clinic, Client, NAMES);
  await addPeople(clinic, CareProvider, NAMES);
  await addPeople(other, Client, ['José of another Clinic']);
});
afterAll(() => app.stop());

async function addPeople(
  { clinicId }: ClinicFixture,
  kind: typeof Client | typeof CareProvider,
  names: readonly string[],
): Promise<Map<string, number>> {
  const people = names.map((name) => new kind(clinicId, { name }, app.clock.now()));
  await app.asSuperuser((em) => em.persist<object>(people).flush());
  return new Map(people.map(({ name, id }) => [name, id]));
}

type Listed = { id: number; name: string; title: string };
const list = async (path: string, token = clinic.clinicToken, profile = 'clinic') => {
  const answer = await app.call('GET', `/gateway/profile/${profile}/${path}`, { token });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body as { items: Listed[]; nextCursor: string | null; count?: object };
};
const namesOf = async (...of: Parameters<typeof list>) => (await list(...of)).items.map(({ name }) => name);

const readCursor = (cursor: string) =>
  (cursor === '' ? [] : JSON.parse(Buffer.from(cursor, 'base64url').toString())) as (string | number)[];

/** Reads all items, page by page. */
async function pages(path: string, limit: number): Promise<Listed[]> {
  const items: Listed[] = [];
  const sort = new URLSearchParams(path.split('?')[1]).get('sort');
  let cursor = '';
  do {
    const page = await list(`${path}&limit=${limit}${cursor && `&cursor=${cursor}`}`);
    items.push(...page.items);
    cursor = page.nextCursor ?? '';
    // The name of the order is the only text in a cursor.
    expect(
      readCursor(cursor)
        .filter((value) => value !== sort)
        .join(' '),
    ).not.toMatch(/[a-z]{2}/i);
  } while (cursor !== '');
  return items;
}

describe.each(['client', 'care-provider'])('the list of every %s', (path) => {
  it.each([
    ['jose', ['José Núñez', 'josefine']],
    ['NUNEZ jose', ['José Núñez']],
    ['strasse', ['Anna Straße']],
    ['isik', ['Işık Demir']],
    ['ostergard', ['Ole Østergård']],
    ['%', []],
    ['José of another', []],
  ])('finds %j', async (name, found) => {
    expect(await namesOf(`${path}?name=${encodeURIComponent(name)}&sort=name`)).toEqual(found);
  });

  it('is sorted by name, and by id where names are the same, in pages of every size', async () => {
    const sorted = [...SORTED, ...(path === 'client' ? ['One', 'Three', 'Two'] : ['One', 'Two'])];
    sorted.sort((left, right) => fold(left).localeCompare(fold(right), 'en'));
    for (const limit of [1, 4, 200]) {
      const ascending = await pages(`${path}?sort=name`, limit);
      expect(ascending.map(({ name }) => name)).toEqual(sorted);
      expect(await pages(`${path}?sort=-name`, limit)).toEqual(ascending.toReversed());
    }
  });

  it('is sorted by creation otherwise, with or without a search', async () => {
    const ascending = await pages(`${path}?sort=createdAt`, 4);
    expect(ascending.map(({ id }) => id)).toEqual(ascending.map(({ id }) => id).sort((left, right) => left - right));
    expect(await pages(`${path}?sort=-createdAt`, 5)).toEqual(ascending.toReversed());
    expect(await namesOf(`${path}?name=bob&sort=-createdAt`)).toEqual(['bob', 'Bob']);
  });
});

const fold = (name: string) => name.normalize('NFD').replace(/\p{M}/gu, '').replace('Ø', 'O').toLowerCase();

it('selects by active, and counts', async () => {
  await app.asSuperuser((em) => em.nativeUpdate(Client, { id: clientIds.get('Bob')! }, { active: false }));
  expect(await namesOf('client?name=bob&active=true')).toEqual(['bob']);
  expect((await list('client?name=bob&active=false&count=exact')).count).toEqual({ value: 1, isExact: true });
  expect((await list('client?limit=1&count=exact')).count).toEqual({ value: 12, isExact: true });
  expect((await list('client?limit=1&count=estimated&sort=name')).count).toEqual({ value: 12, isExact: true });
  expect(await list('client?limit=1')).not.toHaveProperty('count');
});

it('shows a Care Provider only assigned Clients, and all colleagues', async () => {
  const token = clinic.careProviderToken;
  expect(await namesOf('client?name=o&sort=-name&count=exact', token, 'caregiver')).toEqual(['Two', 'One']);
  expect(await namesOf('client?name=jose', token, 'caregiver')).toEqual([]);
  expect(await namesOf('care-provider?name=jose', token, 'caregiver')).toEqual(['José Núñez', 'josefine']);
});

it('searches the Books of the Clinic and of the catalogue together', async () => {
  const now = app.clock.now();
  const titles = ['Hábitos B', 'Hábitos D'].map((title) => new Book(clinic.clinicId, { title }, now));
  const shared = ['Hábitos A', 'Hábitos C'].map((title) => new Book(null, { title }, now));
  const foreign = new Book(other.clinicId, { title: 'Hábitos E' }, now);
  await app.asSuperuser((em) => em.persist<object>([...titles, ...shared, foreign]).flush());
  const found = await pages('book?title=habitos&sort=title', 1);
  expect(found.map(({ title }) => title)).toEqual(['Hábitos A', 'Hábitos B', 'Hábitos C', 'Hábitos D']);
  const token = await app.createToken('ADMIN');
  const { body } = await app.call('GET', '/gateway/admin/book?title=habitos&sort=-title', { token });
  expect(body.items.map(({ title }: Listed) => title)).toEqual(['Hábitos C', 'Hábitos A']);
});

it('sees a change of another instance at once, and reads no more than what has changed', async () => {
  await namesOf('client?sort=name');
  await app.asSuperuser((em) => em.nativeUpdate(Client, { id: clientIds.get('zoe')! }, { name: 'Ælfric' }));
  expect(await namesOf('client?name=zoe')).toEqual([]);
  expect(await namesOf('client?name=aelf')).toEqual(['Ælfric']);
  await addPeople(clinic, Client, ['Ælfgifu']);
  const statements: string[] = [];
  const untap = await interceptStatements(app, { before: (text) => void statements.push(text) });
  expect(await namesOf('client?name=aelf&sort=name').finally(untap)).toEqual(['Ælfgifu', 'Ælfric']);
  const reads = statements.filter((text) => text.includes('changed_in'));
  expect(reads).toEqual([expect.stringContaining('changed_in >=')]);
});

it('sees the change of a record from a server whose transactions had higher ids', async () => {
  const restored = await app.createClinic();
  await app.queryRows(sql`
    insert into client (clinic_id, name, active, created_at, changed_in)
    values (${restored.clinicId}, 'Old name', true, now(), ${2 ** 52})`);
  const search = (name: string) => namesOf(`client?name=${name}`, restored.clinicToken);
  expect(await search('old')).toEqual(['Old name']);
  await app.queryRows(
    sql`update client set name = 'New name' where clinic_id = ${restored.clinicId} and name = 'Old name'`,
  );
  expect([await search('old'), await search('new')]).toEqual([[], ['New name']]);
});

it.each([
  ['more', 'maxNames', 5],
  ['longer', 'maxBytes', 2_500],
] as const)('answers the same for a Clinic with %s names than are cached', async (_, limit, lowered) => {
  const names = app.nest.get(NameSearch);
  const { [limit]: usual } = names;
  const large = await app.createClinic();
  await addPeople(large, Client, NAMES);
  const read = () => namesOf('client?sort=name&limit=200', large.clinicToken);
  const scan = jest.spyOn(NameSearch.prototype as unknown as { scan: () => Promise<unknown> }, 'scan');
  names[limit] = lowered;
  try {
    const scanned = [await read(), await read()];
    expect(scan).toHaveBeenCalledTimes(2);
    expect(scanned[1]).toEqual(scanned[0]);
    expect(scanned[0]).toEqual([...SORTED.slice(0, 6), 'josefine', 'Ole Østergård', 'One', 'Three', 'Two', 'zoe']);
  } finally {
    names[limit] = usual;
    scan.mockRestore();
  }
});

it('loads the names of a Clinic once for concurrent searches', async () => {
  const fresh = await app.createClinic();
  const load = jest.spyOn(NameSearch.prototype as unknown as { load: () => Promise<unknown> }, 'load');
  const answers = await Promise.all(Array.from({ length: 8 }, () => namesOf('client?sort=name', fresh.clinicToken)));
  expect(new Set(answers.map(String))).toEqual(new Set(['One,Three,Two']));
  expect(load).toHaveBeenCalledTimes(1);
  load.mockRestore();
});

it.each(['name=', 'name=%00', `name=${'x'.repeat(101)}`, 'name=a&name=b', 'sort=email', 'count=all', 'title=a'])(
  'refuses ?%s',
  async (query) => {
    const { status, body } = await app.call('GET', `/gateway/profile/clinic/client?${query}`, {
      token: clinic.clinicToken,
    });
    expect([status, body.errors?.[0].pointer]).toEqual([400, `/${query.split('=')[0]}`]);
  },
);

it('refuses a cursor of another order, and one that names a record of another Clinic', async () => {
  const cursors = [
    ...[
      [1.5, 0, 'name'],
      [999_999_999, 0, 'name'],
      [other.clientIds[0], 0, 'name'],
      [clientIds.get('zoe'), 'name'],
    ],
    ...[['2027-01-01T00:00:00.000Z', 1, 'name'], ['2027-01-01T00:00:00.000Z', 1], ['José', 0, 'name'], 'x'],
  ];
  for (const cursor of cursors) {
    const text = Buffer.from(JSON.stringify(cursor)).toString('base64url');
    const { status, body } = await app.call('GET', `/gateway/profile/clinic/client?sort=name&cursor=${text}`, {
      token: clinic.clinicToken,
    });
    expect([cursor, status, body.errors]).toEqual([
      cursor,
      400,
      [{ pointer: '/cursor', detail: 'must be the nextCursor of a page' }],
    ]);
  }
});

it('refuses a cursor with a Client who is not assigned to the Care Provider, as one with an unknown Client', async () => {
  for (const id of [clientIds.get('josefine')!, 999_999_999]) {
    const cursor = Buffer.from(JSON.stringify([id, 0, 'name'])).toString('base64url');
    const path = `/gateway/profile/caregiver/client?sort=name&cursor=${cursor}`;
    const { status, body } = await app.call('GET', path, { token: clinic.careProviderToken });
    expect([status, body.errors]).toEqual([400, [{ pointer: '/cursor', detail: 'must be the nextCursor of a page' }]]);
  }
});

describe('a change of the last record of a page', () => {
  const startPaging = async () => {
    const own = await app.createClinic();
    const token = own.clinicToken;
    const ids = await addPeople(own, Client, ['Anna', 'Bert', 'Carl']);
    const { items, nextCursor } = await list('client?sort=name&limit=2', token);
    expect(items.map(({ name }) => name)).toEqual(['Anna', 'Bert']);
    const path = `/gateway/profile/clinic/client/${ids.get('Bert')}`;
    const change = (body: unknown) => app.call('PATCH', path, { token, body });
    const readNext = () => app.call('GET', `/gateway/profile/clinic/client?sort=name&cursor=${nextCursor}`, { token });
    return { change, readNext };
  };

  it('to another name is an error, because the records between the old and the new place would be left out', async () => {
    const { change, readNext } = await startPaging();
    expect((await change({ name: 'Zoe' })).status).toBe(200);
    const { status, body } = await readNext();
    expect([status, body.errors]).toEqual([
      400,
      [{ pointer: '/cursor', detail: 'the last record of that page has a new name: start again with the first page' }],
    ]);
  });

  it('that keeps its name does not matter', async () => {
    const { change, readNext } = await startPaging();
    expect((await change({ email: 'bert@example.org' })).status).toBe(200);
    const { status, body } = await readNext();
    expect([status, body.items[0].name]).toEqual([200, 'Carl']);
  });
});
