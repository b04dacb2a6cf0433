import { randomUUID } from 'node:crypto';
import { AuditEntry } from '../../src/audit/index.js';
import type { SeriesChange } from '../../src/session/scheduling/dto/series-change.js';
import {
  buildAssignment,
  countSeriesRecords,
  createPlan,
  loadSeriesRecords,
  maskIds,
} from '../support/app/series-fixtures.js';
import { TestApp, type ClinicFixture, type RequestOptions, type TestResponse } from '../support/app/test-app.js';

/*
 * Tests that a Clinic can create Sessions and apply plans for its Care Providers. Each request uses the IDs and
 * versions in the previous response.
 */

const PATH = '/gateway/profile/clinic';
const SESSIONS = `${PATH}/session`;

let app: TestApp;
let clinic: ClinicFixture;
let plan: number;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.clock.set('2026-11-21T10:00:00Z');
  app.clock.tickAtEachReading({ milliseconds: 0 });
  clinic = await app.createClinic();
  const weeks = [{ assignments: [buildAssignment(clinic.ownBookId, [2, '20:00'])] }, {}];
  plan = await createPlan(app, clinic, { appointmentTitle: ' From the plan ', weeks });
});

const call = (method: string, path: string, options: RequestOptions = {}) =>
  app.call(method, path, { token: clinic.clinicToken, ...options });
const request = (change: object = {}) => ({
  caregiverId: clinic.careProviderIds[0],
  clientId: clinic.clientIds[0],
  date: '2027/05/03',
  time: '09:30',
  ...change,
});
const create = (change: object = {}, query = '', options: RequestOptions = {}) =>
  call('POST', `${SESSIONS}${query}`, { body: request({ title: 'Sleep', ...change }), ...options });
const apply = (change: object = {}, query = '', options: RequestOptions = {}) =>
  call('POST', `${PATH}/design-plan/${plan}/apply${query}`, { body: request(change), ...options });
const operations: [name: string, run: typeof create][] = [
  ['create', (...given) => create(...given)],
  ['apply', (...given) => apply(...given)],
];
const changeOf = ({ body }: TestResponse) => body as SeriesChange;
const pointersOf = ({ body }: TestResponse) => body.errors.map(({ pointer }: { pointer: string }) => pointer);

it('creates Sessions with homework and reminders, and returns all of them', async () => {
  const answer = await create({ sessionCount: 2, bookIdList: [clinic.ownBookId], reminders: ['-P1D'], remindDays: 3 });
  expect([answer.status, answer.headers.get('etag')]).toEqual([201, null]);
  const { series, sessions, homework, reminders } = await loadSeriesRecords(app, clinic);
  expect(series).toMatchObject([{ caregiverId: clinic.careProviderIds[0], intervalDays: 7, remindDays: 3 }]);
  expect(answer.headers.get('location')).toBe(`${PATH}/series/${series[0]!.id}`);
  expect(changeOf(answer).sessions).toMatchObject(
    sessions.map(({ id, clientId, caregiverId, title }) => ({ id, version: 1, clientId, caregiverId, title })),
  );
  expect(sessions).toMatchObject([{ plannedDate: '2027-05-03', title: 'Sleep' }, { plannedDate: '2027-05-10' }]);
  expect([homework.length, reminders.length]).toEqual([2, 8]);
  expect(changeOf(answer).sessions.map((one) => [one.homework.length, one.reminders.length])).toEqual([
    [1, 4],
    [1, 4],
  ]);
});

it('applies a plan, and the Sessions get its title and homework', async () => {
  const answer = await apply({ reminders: ['-PT2H'] });
  const { series, sessions, homework } = await loadSeriesRecords(app, clinic);
  expect([answer.status, changeOf(answer).seriesId]).toEqual([201, series[0]!.id]);
  expect(answer.headers.get('location')).toBe(`${PATH}/series/${series[0]!.id}`);
  expect(series).toMatchObject([{ designPlanId: plan, revision: 1, caregiverId: clinic.careProviderIds[0] }]);
  expect(sessions.map(({ title }) => title)).toEqual(['From the plan', 'From the plan']);
  expect(homework).toMatchObject([{ bookId: clinic.ownBookId, sessionId: sessions[0]!.id }]);
});

it('reads times in the zone of the Clinic, or with the offset of the request', async () => {
  expect(changeOf(await create()).sessions[0]!.startsAt).toBe('2027-05-03T08:30:00.000Z');
  const elsewhere = await create({}, '', { headers: { offset: '330' } });
  expect(changeOf(elsewhere)).toMatchObject({
    sessions: [{ startsAt: '2027-05-03T04:00:00.000Z', timeZone: '+05:30' }],
    warnings: [{ kind: 'FIXED_OFFSET' }],
  });
});

describe.each(operations)('%s', (_, run) => {
  it.each(['?dryRun=true', ''])(
    'warns of reminders of the past, and not of those that are due now (%s)',
    async (query) => {
      app.clock.set('2027-05-03T12:00:00Z');
      app.clock.tickAtEachReading({ milliseconds: 1 });
      const answer = await run({ reminders: ['-P1D'], remindDays: 0 }, query);
      const [session] = changeOf(answer).sessions;
      const states = session!.reminders.map(({ rule, status, reason }) => [rule, status, reason]);
      expect(states).toEqual([
        ...Array<unknown>(2).fill(['remindDays 0', 'PENDING', null]),
        ...Array<unknown>(2).fill(['-P1D', 'SKIPPED', 'PAST_WHEN_PLANNED']),
      ]);
      const late = expect.objectContaining({ kind: 'REMINDER_IN_THE_PAST', position: 1 });
      expect(changeOf(answer).warnings).toEqual([late, late]);
      expect(changeOf(answer).warnings[0]!.detail).toContain('PAST_WHEN_PLANNED');
    },
  );

  it('returns the same in a dry run, and writes nothing', async () => {
    const before = await countSeriesRecords(app);
    const dry = await run({}, '?dryRun=true');
    expect([dry.status, dry.headers.get('location'), dry.headers.get('etag')]).toEqual([200, null, null]);
    expect(await countSeriesRecords(app)).toEqual(before);
    expect(maskIds(await run())).toBe(maskIds(dry));
  });

  it('refuses a Care Provider and a Client who are not assigned to each other, and stores nothing', async () => {
    const other = await app.createClinic();
    const [one, two] = clinic.careProviderIds;
    const before = await countSeriesRecords(app);
    const refused = [
      await run({ caregiverId: two }),
      await run({ clientId: clinic.clientIds[2] }),
      await run({ clientId: other.clientIds[0] }),
      await run({ clientId: 999_999_999 }),
    ];
    for (const answer of refused)
      expect([answer.status, pointersOf(answer)]).toEqual([422, ['/clientId', '/caregiverId']]);
    for (const caregiverId of [other.careProviderIds[0], 999_999_999]) {
      const answer = await run({ caregiverId });
      expect([answer.status, pointersOf(answer)]).toEqual([422, ['/caregiverId']]);
    }
    await call('DELETE', `${PATH}/care-provider/${one}`);
    expect(pointersOf(await run())).toEqual(['/caregiverId']);
    expect(await countSeriesRecords(app)).toEqual(before);
  });

  it.each([[null], [0], [undefined], ['1']])('refuses the Care Provider %j', async (caregiverId) => {
    const answer = await run({ caregiverId });
    expect([answer.status, pointersOf(answer)]).toEqual([400, ['/caregiverId']]);
  });

  it('reports overlaps, or refuses them, as for the Care Provider', async () => {
    await run();
    const [reported, rejected] = [await run(), await run({}, '?conflicts=reject')];
    expect([reported.status, reported.body.conflicts[0]]).toEqual([201, expect.objectContaining({ with: 'BOTH' })]);
    expect([rejected.status, rejected.body.type]).toEqual([409, 'urn:problem:schedule-conflict']);
  });

  it('is executed once per idempotency key, and writes an audit entry with the Clinic as actor', async () => {
    const before = await countSeriesRecords(app);
    const headers = { 'idempotency-key': randomUUID() };
    const first = await run({}, '', { headers });
    const again = await run({}, '', { headers });
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
    expect((await countSeriesRecords(app))[0]).toBe(before[0]! + 1);
    const entries = await app.asSuperuser((em) => em.find(AuditEntry, { clinicId: clinic.clinicId }));
    const record = `session/${changeOf(first).sessions[0]!.id}`;
    const written = entries.filter(({ records, access }) => access === 'WRITE' && records.includes(record));
    expect(written[0]).toMatchObject({ actorRole: 'CLINIC', actorId: clinic.clinicId, outcome: 'OK' });
  });
});

it('refuses fields that are not for a Clinic', async () => {
  const answer = await create({ clinicId: clinic.clinicId, id: 0, Title: 'x' });
  expect([answer.status, pointersOf(answer)]).toEqual([400, ['/clinicId', '/id', '/Title']]);
});

it('needs no read between two changes: every response contains the new versions', async () => {
  const created = await create();
  const { id } = changeOf(created).sessions[0]!;
  const path = `${SESSIONS}/${id}`;
  let tag = created.headers.get('etag')!;
  for (const time of ['10:00', '11:00']) {
    const changed = await call('PATCH', path, { body: { time }, headers: { 'if-match': tag } });
    expect(changed.status).toBe(200);
    tag = changed.headers.get('etag')!;
    expect(changed.body.sessions[0].version).toBe(Number(tag.replaceAll('"', '')));
  }
  const cancelled = await call('POST', `${path}/cancel`, { body: { reason: 'CLIENT_REQUEST' } });
  const undone = await call('POST', `${path}/undo`);
  expect([cancelled, undone].map((answer) => answer.headers.get('etag'))).not.toContain(null);
  const read = await call('GET', path);
  expect([read.headers.get('etag'), read.body.version]).toEqual([
    undone.headers.get('etag'),
    undone.body.sessions[0].version,
  ]);
});

it('returns the versions after a change of a series and after a reassignment', async () => {
  const { seriesId } = changeOf(await apply());
  const moved = await call('POST', `${PATH}/series/${seriesId}/shift`, { body: { days: 1 } });
  expect(moved.headers.get('etag')).toBeNull();
  const [from, toCareProviderId] = clinic.careProviderIds;
  const handedOver = await call('POST', `${PATH}/care-provider/${from}/reassign`, { body: { toCareProviderId } });
  const stored = (await loadSeriesRecords(app, clinic)).sessions.map(({ id, version }) => ({ id, version }));
  expect(stored.map(({ version }) => version)).toEqual([3, 3]);
  expect(handedOver.body).toMatchObject({ sessions: stored, sessionCount: 2 });
  expect(changeOf(moved).sessions.map(({ version }) => version)).toEqual([2, 2]);
});
