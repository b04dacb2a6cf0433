import { TestApp, type ClinicFixture, type TestResponse } from '../support/app/test-app.js';

/*
 * Tests reads with `If-None-Match`. The response is a 304 while nothing has changed, for the same caller only, and each
 * request has an audit entry.
 */

const CLINIC = '/gateway/profile/clinic';
const CAREGIVER = '/gateway/profile/caregiver';

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

const read = (path: string, tag?: string, token = clinic.clinicToken) =>
  app.call('GET', path, { token, ...(tag !== undefined && { headers: { 'if-none-match': tag } }) });
const tagOf = ({ headers }: TestResponse) => headers.get('etag')!;
async function createSession(change: object = {}): Promise<number> {
  const body = { clientId: clinic.clientIds[0], title: 'T', date: '2027/03/01', time: '09:30', ...change };
  const made = await app.call('POST', `${CAREGIVER}/session`, { token: clinic.careProviderToken, body });
  expect(made.status).toBe(201);
  const list = await app.call('GET', made.headers.get('location')!, { token: clinic.careProviderToken });
  return list.body.items[0].id;
}
const cancel = async (id: number) => {
  const body = { reason: 'CLIENT_REQUEST' };
  const cancelled = await app.call('POST', `${CLINIC}/session/${id}/cancel`, { token: clinic.clinicToken, body });
  expect(cancelled.status).toBe(200);
};

it.each([
  ['Sessions', `${CLINIC}/session`],
  ['reminders', `${CLINIC}/reminder`],
  ['the week', `${CLINIC}/week?from=2027-03-01`],
  ['series', `${CLINIC}/series`],
])('answers 200, then 304 without a body, then 200 after a change: %s', async (_what, path) => {
  const id = await createSession({ remindDays: 7 });
  const first = await read(path);
  expect([first.status, first.headers.get('cache-control')]).toEqual([200, 'max-age=1, no-cache, no-store']);
  expect(tagOf(first)).toMatch(/^W\/"[\w-]{43}"$/);
  expect(first.headers.get('vary')).toMatch(/\bauthorization, acting-role\b/);
  const again = await read(path, `"another", ${tagOf(first)}`);
  expect([again.status, again.text, tagOf(again)]).toEqual([304, '', tagOf(first)]);
  const headers = { 'if-none-match': tagOf(first) };
  const head = await app.call('HEAD', path, { token: clinic.clinicToken, headers });
  expect([head.status, head.text, tagOf(head)]).toEqual([304, '', tagOf(first)]);
  const { 'cache-control': cached, vary } = Object.fromEntries(again.headers);
  expect([cached, vary]).toEqual(['max-age=1, no-cache, no-store', expect.stringContaining('authorization')]);
  await cancel(id);
  const changed = await read(path, tagOf(first));
  expect([changed.status, tagOf(changed) === tagOf(first)]).toEqual([200, false]);
});

it('compares the version of a plan, and never that of a Session, which is shown with its overlaps', async () => {
  const body = { planName: 'A' };
  const made = await app.call('POST', `${CLINIC}/design-plan`, { token: clinic.clinicToken, body });
  const plan = `/gateway/profile/clinic${made.headers.get('location')!}`;
  expect(tagOf(await read(plan))).toBe('"1"');
  expect((await read(plan, '"1"')).status).toBe(304);
  const headers = { 'if-match': '"1"' };
  const put = await app.call('PUT', plan, { token: clinic.clinicToken, body: { planName: 'B' }, headers });
  expect(put.status).toBe(200);
  const changed = await read(plan, '"1"');
  expect([changed.status, tagOf(changed), changed.body.planName]).toEqual([200, '"2"', 'B']);

  const session = `${CLINIC}/session/${await createSession()}`;
  const before = await read(session);
  await createSession();
  const after = await read(session, tagOf(before));
  expect([tagOf(after), after.status]).toEqual([tagOf(before), 200]);
  expect([before.body.conflicts.length, after.body.conflicts.length]).toEqual([0, 1]);
});

it('opens nothing to a caller who holds the tag of another', async () => {
  const id = await createSession({ remindDays: 7 });
  const { body, ...list } = await read(`${CLINIC}/reminder`);
  const one = `${CLINIC}/reminder/${body.items[0].id}`;
  const tag = tagOf(await read(one));
  const other = await app.createClinic();
  expect((await read(one, tag, other.clinicToken)).status).toBe(404);
  expect((await read(one, '*', other.clinicToken)).status).toBe(404);
  expect((await read(one, tag, clinic.careProviderToken)).status).toBe(403);
  expect((await app.call('GET', one, { headers: { 'if-none-match': tag } })).status).toBe(401);
  const foreign = await read(`${CLINIC}/reminder`, tagOf({ body, ...list }), other.clinicToken);
  expect([foreign.status, foreign.body.items]).toEqual([200, []]);
  await app.call('GET', `${CLINIC}/session/${id}`, { token: clinic.clinicToken });
  expect((await read(one, tag)).status).toBe(304);
});

it('writes the audit entry of a 304 too, and tags neither writes nor errors', async () => {
  const id = await createSession({ remindDays: 7 });
  const path = `${CLINIC}/session?seriesId=00000000-0000-4000-8000-000000000000`;
  const list = `${CLINIC}/session`;
  const tag = tagOf(await read(list));
  expect((await read(list, tag)).status).toBe(304);
  const { body } = await read(`${CLINIC}/audit?record=session/${id}`);
  const reads = body.items.filter(({ operation }: { operation: string }) => operation === `GET ${list}`);
  expect(reads).toHaveLength(2);
  expect((await read(`${path}x`, '*')).status).toBe(400);
  const write = await app.call('POST', `${CLINIC}/design-plan`, {
    token: clinic.clinicToken,
    body: { planName: 'A' },
    headers: { 'if-none-match': '*' },
  });
  expect([write.status, write.headers.get('etag'), write.headers.get('vary')]).toEqual([201, null, 'Origin, Prefer']);
});
