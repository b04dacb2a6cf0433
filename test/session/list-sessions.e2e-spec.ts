import { ClientAssignment } from '../../src/directory/index.js';
import { TestApp, type ClinicFixture } from '../support/app/test-app.js';

/* Tests lists of Sessions: access, filters, sort order and paging. */

const PATH = '/gateway/profile/caregiver/session';

let app: TestApp;
let clinic: ClinicFixture;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());
beforeEach(async () => {
  clinic = await app.createClinic();
});

const create = async (change: object = {}, token = clinic.careProviderToken): Promise<string> => {
  const body = { clientId: clinic.clientIds[0], title: 'T', date: '2027/03/01', time: '09:30', ...change };
  const answer = await app.call('POST', PATH, { token, body });
  expect(answer.status).toBe(201);
  return answer.headers.get('location')!;
};
const list = (query = '', token = clinic.careProviderToken) => app.call('GET', `${PATH}${query}`, { token });
const count = async (query = '', token?: string) => (await list(query, token)).body.items.length as number;

it('refuses a call without a token and other roles', async () => {
  expect((await app.call('GET', PATH)).status).toBe(401);
  for (const role of ['CLINIC', 'CLIENT', 'ADMIN'] as const)
    expect((await list('', await app.createToken(role, 1))).status).toBe(403);
});

it('shows the caller only their own Sessions and those of their assigned Clients', async () => {
  const [, second] = clinic.careProviderIds;
  const colleague = await app.createToken('CARE_PROVIDER', second);
  await create();
  await create({ caregiverId: second });
  await create({ clientId: clinic.clientIds[2] }, colleague);
  expect(await count()).toBe(2);
  expect(await count('', colleague)).toBe(2);
  const other = await app.createClinic();
  expect(await count('', other.careProviderToken)).toBe(0);
  expect(await count(await create().then((location) => location.replace(PATH, '')), other.careProviderToken)).toBe(0);
});

it('does not show Sessions of a colleague with a Client who is no longer assigned', async () => {
  await create({ caregiverId: clinic.careProviderIds[1] });
  expect(await count()).toBe(1);
  await app.asSuperuser((em) => em.nativeDelete(ClientAssignment, { clientId: clinic.clientIds[0] }));
  expect(await count()).toBe(0);
});

it('is limited to a series by seriesId', async () => {
  const location = await create({ sessionCount: 3 });
  await create({ sessionCount: 2 });
  expect(await count(location.replace(PATH, ''))).toBe(3);
  expect(await count('?seriesId=019abcde-0000-7000-8000-000000000000')).toBe(0);
});

it('must not be cached', async () => {
  expect((await list()).headers.get('cache-control')).toBe('max-age=1, no-cache, no-store');
});

it('lists all Sessions in the order of their start, without repeated or missing ones, even while others insert', async () => {
  for (let index = 0; index < 5; index += 1) await create({ sessionCount: 3, intervalDays: 1 });
  const seen: { id: number; startsAt: string }[] = [];
  let cursor = '';
  do {
    const { body } = await list(`?limit=4${cursor}`);
    expect(body.items.length).toBeLessThanOrEqual(4);
    seen.push(...body.items);
    cursor = body.nextCursor === null ? '' : `&cursor=${body.nextCursor as string}`;
    await create({ date: '2020/01/01' });
  } while (cursor !== '');
  expect(new Set(seen.map((session) => session.id)).size).toBe(15);
  expect(seen).toHaveLength(15);
  const keys = seen.map((session) => `${session.startsAt} ${String(session.id).padStart(9, '0')}`);
  expect(keys).toEqual(keys.toSorted());
});

it.each([
  'limit=0',
  'limit=201',
  'limit=x',
  'limit=-1',
  'limit=1.5',
  'cursor=x',
  'cursor=W10',
  'cursor=WzFd',
  'seriesId=1',
])('refuses %s', async (query) => {
  const answer = await list(`?${query}`);
  expect(answer.status).toBe(400);
  expect(answer.body.errors[0].pointer).toBe(`/${query.split('=')[0]!}`);
});
