import { sql } from 'kysely';
import { TestApp, type ClinicFixture } from '../support/app/test-app.js';

/* Tests lists of series, homework and reminders: filters with several values, sort order, counts, and access. */

const CAREGIVER = '/gateway/profile/caregiver';
const CLINIC = '/gateway/profile/clinic';

type Page = { items: any[]; nextCursor: string | null; count?: object }; // eslint-disable-line @typescript-eslint/no-explicit-any -- the type depends on the list

let app: TestApp;
let clinic: ClinicFixture;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());
beforeEach(async () => {
  clinic = await app.createClinic();
});

/** Books a series as the first Care Provider. Returns its id. */
async function book(change: object = {}): Promise<string> {
  const body = { clientId: clinic.clientIds[0], title: 'T', date: '2027/03/01', time: '09:30', ...change };
  const answer = await app.call('POST', `${CAREGIVER}/session`, { token: clinic.careProviderToken, body });
  expect(answer.status).toBe(201);
  return new URL(answer.headers.get('location')!, app.url).searchParams.get('seriesId')!;
}

async function list(path: string, token = clinic.clinicToken): Promise<Page> {
  const { status, body } = await app.call('GET', path, { token });
  expect([path, status]).toEqual([path, 200]);
  return body as Page;
}
const idsOf = ({ items }: Page): unknown[] => items.map(({ id }) => id as unknown);

it('lists the series of a Clinic with the next Session, by filters and in both orders', async () => {
  const [first, second] = clinic.careProviderIds;
  const one = await book({ sessionCount: 3, remindDays: 1 });
  const two = await book({ clientId: clinic.clientIds[1], date: '2026/01/01', sessionCount: 2 });
  const three = await book({ caregiverId: second });
  await app.call('POST', `${CLINIC}/series/${three}/pause`, { token: clinic.clinicToken });
  const page = await list(`${CLINIC}/series?count=exact`);
  expect(page.items).toMatchObject([
    { id: one, caregiverId: first, clientId: clinic.clientIds[0], sessionCount: 3, upcomingCount: 3, pausedAt: null },
    { id: two, clientId: clinic.clientIds[1], sessionCount: 2, upcomingCount: 0, nextSession: null },
    { id: three, caregiverId: second, upcomingCount: 1, pausedAt: '2026-11-21T10:00:00.000Z' },
  ]);
  expect(page.items[0]).toMatchObject({ nextSession: { startsAt: '2027-03-01T09:30:00.000Z' } });
  expect(page.count).toEqual({ value: 3, isExact: true });
  const [entry] = await app.queryRows(sql<{ records: string[] }>`
    select to_jsonb(records) as records from audit_entry
    where clinic_id = ${clinic.clinicId} and operation = ${`GET ${CLINIC}/series`}`);
  const next = page.items.flatMap(({ nextSession }) => (nextSession === null ? [] : [`session/${nextSession.id}`]));
  const ofSeries = [one, two, three].map((id) => `series/${id}`);
  expect(entry!.records.filter((name) => !name.startsWith('client/')).sort()).toEqual([...ofSeries, ...next].sort());
  for (const [query, expected] of [
    [`caregiverId=${second},${first}`, [one, two, three]],
    [`caregiverId=${second}`, [three]],
    [`clientId=${clinic.clientIds[1]},${clinic.clientIds[2]}`, [two]],
    ['paused=false&sort=-createdAt', [two, one]],
    ['designPlanId=1', []],
  ] as const)
    expect([query, idsOf(await list(`${CLINIC}/series?${query}`))]).toEqual([query, expected]);
  const start = await list(`${CLINIC}/series?limit=2&sort=-createdAt`);
  const rest = await list(`${CLINIC}/series?limit=2&sort=-createdAt&cursor=${start.nextCursor}`);
  expect([...idsOf(start), ...idsOf(rest)]).toEqual([three, two, one]);
  expect(rest.nextCursor).toBeNull();
});

it('lists for a Care Provider the series that they may read, and for others nothing', async () => {
  const [own, ofColleague] = [await book(), await book({ caregiverId: clinic.careProviderIds[1] })];
  const colleague = await app.createToken('CARE_PROVIDER', clinic.careProviderIds[1]);
  const path = `${CAREGIVER}/series`;
  expect(idsOf(await list(path, clinic.careProviderToken))).toEqual([own, ofColleague]);
  expect(idsOf(await list(path, colleague))).toEqual([ofColleague]);
  const other = await app.createClinic();
  expect(idsOf(await list(path, other.careProviderToken))).toEqual([]);
  expect(idsOf(await list(`${CLINIC}/series?clientId=${clinic.clientIds[0]}`, other.clinicToken))).toEqual([]);
  expect((await app.call('GET', path)).status).toBe(401);
  expect((await app.call('GET', path, { token: clinic.clinicToken })).status).toBe(403);
});

it('filters Sessions, reminders and homework by several values, and counts them', async () => {
  const [, second] = clinic.careProviderIds;
  const homework = { bookIdList: [clinic.ownBookId, clinic.sharedBookId] };
  const [one, two] = [await book({ remindDays: 1, ...homework }), await book({ caregiverId: second, remindDays: 2 })];
  await book({ clientId: clinic.clientIds[1] });
  const sizeOf = async (path: string, token?: string) => (await list(path, token)).items.length;
  expect(await sizeOf(`${CLINIC}/session?seriesId=${one},${two}&status=SCHEDULED,PAUSED`)).toBe(2);
  expect(await sizeOf(`${CLINIC}/session?clientId=${clinic.clientIds.join()}&status=CANCELLED,PAUSED`)).toBe(0);
  expect((await list(`${CLINIC}/session?limit=1&count=estimated`)).count).toEqual({ value: 3, isExact: true });
  const latest = await list(`${CLINIC}/session?sort=-startsAt&limit=2`);
  expect(idsOf(await list(`${CLINIC}/session?sort=-startsAt&limit=2&cursor=${latest.nextCursor}`))).toHaveLength(1);
  expect(await sizeOf(`${CLINIC}/reminder?caregiverId=${second}`)).toBe(2);
  expect(await sizeOf(`${CLINIC}/reminder?status=PENDING,SENT&recipientKind=CLIENT&kind=SESSION`)).toBe(2);
  expect(await sizeOf(`${CLINIC}/reminder?kind=HOMEWORK`)).toBe(0);
  const byDue = await list(`${CLINIC}/reminder?sort=-dueAt&limit=3&count=exact`);
  const dueTimes = byDue.items.map(({ dueAt }) => dueAt as string);
  expect([dueTimes, byDue.count]).toEqual([dueTimes.toSorted().toReversed(), { value: 4, isExact: true }]);
  expect((await list(`${CLINIC}/reminder?sort=-dueAt&limit=3&cursor=${byDue.nextCursor}`)).items).toHaveLength(1);
  const token = await app.createToken('CLIENT', clinic.clientIds[0]);
  const path = '/gateway/profile/client/homework';
  expect(await sizeOf(`${path}?bookId=${clinic.ownBookId}`, token)).toBe(1);
  const done = await list(`${path}?sort=-startsAt&limit=1&count=exact`, token);
  expect(done.count).toEqual({ value: 2, isExact: true });
  expect(await sizeOf(`${path}?sort=-startsAt&cursor=${done.nextCursor}`, token)).toBe(1);
});

it('filters reminders by the channel of their last attempt', async () => {
  const [{ careProviderToken, clinicToken }, other] = [clinic, await app.createClinic()];
  await book({ remindDays: 0 });
  await book({ remindDays: 9 });
  await app.deliverDueReminders();
  const reminders = async (query: string, token = clinicToken, base = CLINIC) =>
    (await list(`${base}/reminder?${query}`, token)).items;
  const sent = await reminders('status=SENT');
  expect(sent).toMatchObject([{ channel: 'LOG' }, { channel: 'LOG' }]);
  expect(await reminders('channel=LOG&sort=-dueAt')).toEqual(sent.toReversed());
  expect(await reminders('channel=EMAIL,LOG&recipientKind=CLIENT')).toMatchObject([{ recipientKind: 'CLIENT' }]);
  expect(await reminders('channel=EMAIL,WEBHOOK')).toEqual([]);
  expect(await reminders('channel=LOG', careProviderToken, CAREGIVER)).toEqual(sent);
  expect(await reminders('channel=LOG', other.clinicToken)).toEqual([]);
  expect((await list(`${CLINIC}/reminder?channel=LOG&count=exact&limit=1`)).count).toEqual({ value: 2, isExact: true });
  expect((await reminders('status=PENDING')).map(({ channel }) => channel as unknown)).toEqual([null, null]);
});

it('lists the homework of all Clients of a Clinic, by Client, Care Provider and state', async () => {
  const [{ careProviderIds, clientIds, clinicToken, ownBookId, sharedBookId }, other] = [
    clinic,
    await app.createClinic(),
  ];
  await book({ sessionCount: 2, bookIdList: [ownBookId, sharedBookId] });
  await book({ clientId: clientIds[1], date: '2027/02/01', bookIdList: [ownBookId] });
  await book({ caregiverId: careProviderIds[1], date: '2027/05/01', bookIdList: [sharedBookId] });
  const homework = async (query = '', token = clinicToken) => (await list(`${CLINIC}/homework?${query}`, token)).items;
  const all = await homework('include=client,careProvider,books,progress');
  expect(all).toHaveLength(6);
  expect(all[0]).toMatchObject({
    ...{ clientId: clientIds[1], caregiverId: careProviderIds[0], bookId: ownBookId, dueDate: '2027/02/08' },
    ...{ client: { id: clientIds[1], name: 'Two' }, careProvider: { name: 'One' }, progress: { done: 0, total: 1 } },
    books: [{ id: ownBookId, title: 'Own' }],
  });
  const token = await app.createToken('CLIENT', clientIds[0]);
  const ofClient = (await list('/gateway/profile/client/homework', token)).items;
  const toOwn = ({ clientId: _, caregiverId: __, ...own }: Record<string, unknown>) => own;
  expect((await homework(`clientId=${clientIds[0]}`)).map(toOwn)).toEqual(ofClient);
  await app.call('POST', `/gateway/profile/client/homework/${ofClient[0].id}/complete`, { token });
  for (const [query, count] of [
    [`clientId=${clientIds[1]},${clientIds[2]}`, 1],
    [`caregiverId=${careProviderIds[1]}`, 1],
    [`caregiverId=${careProviderIds.join()}&completed=false`, 5],
    [`completed=true&bookId=${ofClient[0].bookId as number}`, 1],
  ] as const)
    expect([query, (await homework(query)).length]).toEqual([query, count]);
  const start = await list(`${CLINIC}/homework?limit=4&sort=-startsAt&count=exact`);
  expect(start.count).toEqual({ value: 6, isExact: true });
  const rest = await list(`${CLINIC}/homework?limit=4&sort=-startsAt&cursor=${start.nextCursor}`);
  expect([...idsOf(start), ...idsOf(rest)].toSorted()).toEqual(all.map(({ id }) => id as unknown).toSorted());
  expect(await homework('', other.clinicToken)).toEqual([]);
  expect(await homework(`clientId=${clientIds[0]}`, other.clinicToken)).toEqual([]);
});

it.each([
  [`${CLINIC}/series?paused=1`, '/paused'],
  [`${CLINIC}/series?caregiverId=1,x`, '/caregiverId'],
  [`${CLINIC}/series?cursor=WzFd`, '/cursor'],
  [`${CLINIC}/session?status=SCHEDULED,OPEN`, '/status'],
  [`${CLINIC}/session?seriesId=1`, '/seriesId'],
  [`${CLINIC}/reminder?kind=BOOK`, '/kind'],
  [`${CLINIC}/reminder?sort=status`, '/sort'],
  [`${CLINIC}/reminder?channel=EMAL`, '/channel'],
  [`${CLINIC}/reminder?channel=log`, '/channel'],
  [`${CLINIC}/homework?clientId=x`, '/clientId'],
  [`${CLINIC}/homework?completed=yes`, '/completed'],
])('refuses %s', async (path, pointer) => {
  const { status, body } = await app.call('GET', path, { token: clinic.clinicToken });
  expect([status, body.errors?.[0].pointer]).toEqual([400, pointer]);
});
