import { readFileSync } from 'node:fs';
import { Reminder } from '../../src/reminder/index.js';
import { Session } from '../../src/session/index.js';
import {
  SESSION_STATUSES,
  STATUS_OPERATIONS,
  STATUS_TRANSITIONS,
  type SessionStatus,
} from '../../src/session/domain/session-status.js';
import { describeWarnings } from '../support/app/series-fixtures.js';
import { waitFor, TestApp, type TestResponse, type ClinicFixture } from '../support/app/test-app.js';

/* Tests the operations on existing Sessions: read, change, cancel, complete, no-show and undo. */

const CAREGIVER = '/gateway/profile/caregiver/session';
const CLINIC = '/gateway/profile/clinic/session';

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

/** Creates weekly Sessions from Monday 1 March at 09:30. Returns their IDs. */
async function create(change: object = {}, token = clinic.careProviderToken): Promise<number[]> {
  const body = { clientId: clinic.clientIds[0], title: 'T', date: '2027/03/01', time: '09:30', ...change };
  const answer = await app.call('POST', CAREGIVER, { token, body });
  expect(answer.status).toBe(201);
  const list = await app.call('GET', answer.headers.get('location')!, { token });
  return list.body.items.map((session: { id: number }) => session.id);
}
const get = (id: number, token = clinic.careProviderToken) => app.call('GET', `${CAREGIVER}/${id}`, { token });
const step = (id: number, what: string, body?: object, token = clinic.careProviderToken) =>
  app.call('POST', `${CAREGIVER}/${id}/${what}`, { token, body });
async function patch(
  id: number,
  body: object,
  query = '',
  headers: Record<string, string> = {},
): Promise<TestResponse> {
  const version = (await get(id)).headers.get('etag')!;
  const token = clinic.careProviderToken;
  return app.call('PATCH', `${CAREGIVER}/${id}${query}`, {
    token,
    body,
    headers: { 'if-match': version, ...headers },
  });
}
const stored = (id: number) => app.asSuperuser((em) => em.findOneOrFail(Session, { id }));
const starts = async (ids: readonly number[]) =>
  Promise.all(ids.map(async (id) => (await stored(id)).startsAt.toString()));
const statuses = async (ids: readonly number[]) => Promise.all(ids.map(async (id) => (await stored(id)).status));
const reminders = (id: number) =>
  app.asSuperuser((em) => em.find(Reminder, { sessionId: id }, { orderBy: { id: 'asc' } }));
/** Returns the unsent reminders of a Session: due time and recipient. */
const unsent = async (id: number) =>
  (await reminders(id))
    .filter(({ status }) => status === 'PENDING')
    .map((r) => `${r.recipientKind} ${r.dueAt.toString()}`);

describe('reading a Session', () => {
  it('shows it only to the Care Provider and the Clinic', async () => {
    const [id] = await create();
    const other = await app.createClinic();
    expect((await get(id!)).body).toMatchObject({ id, title: 'T', status: 'SCHEDULED', conflicts: [] });
    expect((await app.call('GET', `${CLINIC}/${id}`, { token: clinic.clinicToken })).status).toBe(200);
    const absent = await get(999_999_999);
    for (const answer of [
      await get(id!, other.careProviderToken),
      await app.call('GET', `${CLINIC}/${id}`, { token: other.clinicToken }),
    ]) {
      expect(answer.status).toBe(404);
      expect({ ...answer.body, instance: '' }).toEqual({ ...absent.body, instance: '' });
    }
  });

  it('returns its overlaps', async () => {
    const [first] = await create();
    const [second] = await create({ time: '10:00', clientId: clinic.clientIds[1] });
    const [third] = await create({ time: '10:20' });
    expect((await get(second!)).body.conflicts).toEqual([
      expect.objectContaining({
        with: 'CARE_PROVIDER',
        otherSessionId: first,
        otherStartsAt: '2027-03-01T09:30:00.000Z',
      }),
      expect.objectContaining({ with: 'CARE_PROVIDER', otherSessionId: third }),
    ]);
    expect((await get(third!)).body.conflicts).toEqual([expect.objectContaining({ otherSessionId: second })]);
  });
});

describe('more overlaps than are listed', () => {
  const NAME = 'conflictCount';
  /**
   * IDs of the Sessions in twelve series of a hundred Sessions each, at the same times. Each Session overlaps eleven
   * others.
   */
  let ids: number[];
  beforeEach(async () => {
    const change = { sessionCount: 100, intervalDays: 1 };
    for (let series = 0; series < 11; series += 1) await create(change);
    ids = await create(change);
  });

  it('are counted, and the first thousand are listed', async () => {
    const { body } = await patch(ids[0]!, { title: 'New' }, '?scope=series');
    expect([body.conflicts.length, body[NAME]]).toEqual([1_000, 1_100]);
    const [first, last] = [body.conflicts[0].startsAt, body.conflicts.at(-1).startsAt];
    expect([first, last]).toEqual(['2027-03-01T09:30:00.000Z', '2027-05-30T08:30:00.000Z']);
    const rejected = await patch(ids[0]!, { title: 'Newer' }, '?scope=series&conflicts=reject');
    expect([rejected.status, rejected.body.conflicts.length, rejected.body[NAME]]).toEqual([409, 1_000, 1_100]);
    expect(rejected.body.detail).toContain('1100 overlap(s)');
    const one = await get(ids[0]!);
    expect([one.body.conflicts.length, one.body[NAME]]).toEqual([11, 11]);
  });
});

describe('the list of the Clinic', () => {
  const list = async (query: string) =>
    (await app.call('GET', `${CLINIC}?${query}`, { token: clinic.clinicToken })).body.items.map(
      (session: { id: number }) => session.id,
    ) as number[];

  it('contains all Sessions of the Clinic, and is limited by each filter', async () => {
    const [a, b] = await create({ sessionCount: 2 });
    const [c] = await create({
      clientId: clinic.clientIds[1],
      caregiverId: clinic.careProviderIds[1],
      date: '2027/05/01',
    });
    await step(b!, 'cancel', { reason: 'OTHER' });
    expect(await list('')).toEqual([a, b, c]);
    expect(await list('from=2027-03-01T09:30:00Z&to=2027-03-08T09:30:00Z')).toEqual([a]);
    expect(await list(`clientId=${clinic.clientIds[1]}`)).toEqual([c]);
    expect(await list(`caregiverId=${clinic.careProviderIds[0]}`)).toEqual([a, b]);
    expect(await list('status=CANCELLED')).toEqual([b]);
    expect(await list('designPlanId=1')).toEqual([]);
  });

  it.each(['from=x', 'from=2027-01-01', 'to=2027-13-01T00:00:00Z', 'status=GONE', 'clientId=0', 'clientId=x'])(
    'refuses %s',
    async (query) => {
      const answer = await app.call('GET', `${CLINIC}?${query}`, { token: clinic.clinicToken });
      expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, `/${query.split('=')[0]!}`]);
    },
  );
});

describe('a change', () => {
  it('needs the version that the caller has read', async () => {
    const [id] = await create();
    const token = clinic.careProviderToken;
    const path = `${CAREGIVER}/${id}`;
    expect((await app.call('PATCH', path, { token, body: { title: 'A' } })).status).toBe(428);
    const first = await patch(id!, { title: 'A' });
    expect(first.status).toBe(200);
    expect((await patch(id!, { title: 'B' }, '', { 'if-match': '"1"' })).status).toBe(412);
    expect(await stored(id!)).toMatchObject({ title: 'A', version: 2 });
  });

  it('to the values that a Session already has keeps its version', async () => {
    const [id] = await create({ description: 'D' });
    const before = await get(id!);
    const { title, description, date, time, durationMinutes } = before.body;
    app.clock.advance({ hours: 1 });
    for (const body of [{ title: ` ${title} ` }, { title, description, date, time, durationMinutes }])
      expect((await patch(id!, body)).body.sessions).toEqual([expect.objectContaining({ id, version: 1 })]);
    expect(await stored(id!)).toMatchObject({ version: 1, updatedAt: (await stored(id!)).createdAt });
    expect((await get(id!)).headers.get('etag')).toBe(before.headers.get('etag'));
  });

  it('of the time with a scope keeps the version of a Session at another time', async () => {
    const [first, second, third] = await create({ sessionCount: 3 });
    await patch(second!, { time: '15:00' });
    await patch(first!, { time: '10:00' }, '?scope=series');
    expect(await stored(second!)).toMatchObject({ plannedTime: '15:00', version: 2 });
    expect(await stored(third!)).toMatchObject({ plannedTime: '10:00', version: 2 });
  });

  it.each([null, ' '])('of text and duration does not change the time (description %j)', async (description) => {
    const [id] = await create({ description: 'D' });
    const { body } = await patch(id!, { title: ' New ', description, durationMinutes: 30 });
    expect(body.sessions[0]).toMatchObject({
      ...{ title: 'New', description: null, durationMinutes: 30 },
      ...{ startsAt: '2027-03-01T09:30:00.000Z', endsAt: '2027-03-01T10:00:00.000Z' },
    });
  });

  it.each([
    [{}, ''],
    [{ title: '' }, '/title'],
    [{ date: '2027/02/30' }, '/date'],
    [{ time: '25:00' }, '/time'],
    [{ durationMinutes: 0 }, '/durationMinutes'],
    [{ durationMinutes: 721 }, '/durationMinutes'],
    [{ date: '9999/12/31', time: '23:59' }, '/date'],
  ])('refuses %j', async (body, pointer) => {
    const [id] = await create();
    const answer = await patch(id!, body);
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, pointer]);
    expect((await stored(id!)).version).toBe(1);
  });

  it.each(['scope=all', 'conflicts=maybe', 'dryRun=1'])('refuses ?%s', async (query) => {
    const [id] = await create();
    expect((await patch(id!, { title: 'A' }, `?${query}`)).body.errors[0].pointer).toBe(`/${query.split('=')[0]!}`);
  });

  it('moves a Session across a clock change with its reminders, except those of remindDays', async () => {
    const [id, next] = await create({ sessionCount: 2, remindDays: 3, reminders: ['-P1D', '-PT2H'] });
    await patch(id!, { date: '2027/03/29' });
    expect(await starts([id!, next!])).toEqual(['2027-03-29T08:30:00Z', '2027-03-08T09:30:00Z']);
    expect(await unsent(id!)).toEqual([
      'CLIENT 2026-11-24T10:00:00Z',
      'CARE_PROVIDER 2026-11-24T10:00:00Z',
      'CLIENT 2027-03-28T08:30:00Z',
      'CARE_PROVIDER 2027-03-28T08:30:00Z',
      'CLIENT 2027-03-29T06:30:00Z',
      'CARE_PROVIDER 2027-03-29T06:30:00Z',
    ]);
  });

  it('reads date and time in the zone of the offset header, and keeps the zone of the Session', async () => {
    const [id] = await create();
    await patch(id!, { date: '2027/06/01', time: '12:00' }, '', { offset: '-480' });
    expect(await stored(id!)).toMatchObject({
      plannedDate: '2027-06-01',
      plannedTime: '21:00',
      timeZone: 'Europe/London',
    });
  });

  it('reads date and time without an offset header in the zone of the Session, also if it is not that of the Clinic', async () => {
    const headers = { offset: '330' };
    const body = { clientId: clinic.clientIds[0], title: 'T', date: '2027/03/01', time: '09:30' };
    const token = clinic.careProviderToken;
    const created = await app.call('POST', '/gateway/profile/caregiver/session', { token, body, headers });
    const id = Number(/created: (\d+)/.exec(created.body.message)![1]);
    await patch(id, { date: '2027/06/01', time: '12:00' });
    expect(await stored(id)).toMatchObject({ plannedDate: '2027-06-01', plannedTime: '12:00', timeZone: '+05:30' });
  });

  it.each([
    ['its own offset', '60', '2027/06/01', '12:00', []],
    ['the offset of now', '0', '2027/06/01', '12:00', []],
    ['neither', '120', '2027/06/01', '11:00', ['FIXED_OFFSET']],
    ['neither, and the time alone', '60', undefined, '11:00', ['FIXED_OFFSET']],
  ])('takes an offset that agrees with the zone of the Clinic for the zone: %s', async (...row) => {
    const [, offset, date, plannedTime, warnings] = row;
    const [id] = await create();
    const dry = await patch(id!, { date, time: '12:00' }, '?dryRun=true', { offset });
    const answer = await patch(id!, { date, time: '12:00' }, '', { offset });
    expect(await stored(id!)).toMatchObject({ plannedTime, timeZone: 'Europe/London' });
    expect([describeWarnings(dry), describeWarnings(answer)]).toEqual([warnings, warnings]);
  });

  it.each([
    ['08:30', '2027/11/07', 200, '2027-11-07T08:30:00Z', undefined],
    ['09:30', '2027/11/07', 400, '2027-03-01T17:30:00Z', '/time'],
    [undefined, '2027/11/07', 200, '2027-11-07T17:30:00Z', undefined],
    ['10:30', '2027/11/07', 200, '2027-11-07T10:30:00Z', undefined],
  ])('in an hour that occurs twice: %s at the offset 0', async (time, date, status, startsAt, pointer) => {
    clinic = await app.createClinic('America/Los_Angeles');
    const [id] = await create();
    for (const query of ['?dryRun=true', '']) {
      const answer = await patch(id!, { date, time }, query, { offset: '0' });
      expect([answer.status, answer.body.errors?.[0].pointer]).toEqual([status, pointer]);
    }
    expect(await starts([id!])).toEqual([startsAt]);
  });

  it('by the date alone into an hour that occurs twice points to the date', async () => {
    clinic = await app.createClinic('America/Los_Angeles');
    const [id] = await create({ time: '01:30' });
    const { status, body } = await patch(id!, { date: '2027/11/07' }, '', { offset: '0' });
    expect([status, body.errors]).toEqual([
      400,
      [{ pointer: '/date', detail: expect.stringContaining('occurs twice in America/Los_Angeles') }],
    ]);
  });

  it('with the scope "following" moves later Sessions by the same number of days, and no earlier ones', async () => {
    const ids = await create({ sessionCount: 4 });
    await patch(ids[1]!, { date: '2027/03/10', time: '11:00' }, '?scope=following');
    expect(await starts(ids)).toEqual([
      '2027-03-01T09:30:00Z',
      '2027-03-10T11:00:00Z',
      '2027-03-17T11:00:00Z',
      '2027-03-24T11:00:00Z',
    ]);
  });

  it('with the scope "series" keeps the time of a Session that was moved on its own', async () => {
    const ids = await create({ sessionCount: 3 });
    await patch(ids[1]!, { time: '14:00' });
    await patch(ids[0]!, { date: '2027/03/02', time: '10:00' }, '?scope=series');
    expect(await starts(ids)).toEqual(['2027-03-02T10:00:00Z', '2027-03-09T14:00:00Z', '2027-03-16T10:00:00Z']);
  });

  it('of the series leaves what has happened', async () => {
    const ids = await create({ sessionCount: 3 });
    app.clock.set('2027-03-08T12:00:00Z');
    await step(ids[0]!, 'complete');
    await patch(ids[2]!, { date: '2027/03/17', title: 'New' }, '?scope=series');
    expect(await starts(ids)).toEqual(['2027-03-01T09:30:00Z', '2027-03-08T09:30:00Z', '2027-03-17T09:30:00Z']);
    expect((await stored(ids[1]!)).title).toBe('T');
  });

  it.each(['', '?dryRun=true'])('refuses a time for which a reminder cannot be stored: %j', async (query) => {
    const [id] = await create({ reminders: ['-P30D'] });
    const before = await unsent(id!);
    const { status, body } = await patch(id!, { date: '0001/01/01' }, query);
    const error = { pointer: '/date', detail: 'every reminder must be due in the years 1 to 9999' };
    expect([status, body.errors]).toEqual([400, [error]]);
    expect([await starts([id!]), await unsent(id!)]).toEqual([['2027-03-01T09:30:00Z'], before]);
  });

  it('returns the same in a dry run, and writes nothing', async () => {
    const [id] = await create({ reminders: ['-P1D'] });
    const dry = await patch(id!, { date: '2027/03/03' }, '?dryRun=true');
    expect(await stored(id!)).toMatchObject({ plannedDate: '2027-03-01', version: 1 });
    expect((await patch(id!, { date: '2027/03/03' })).body).toEqual(dry.body);
  });

  it('that overlaps is reported, or refused with all overlaps', async () => {
    const ids = await create({ sessionCount: 3 });
    await create({ sessionCount: 3, date: '2027/03/02', clientId: clinic.clientIds[1] });
    const rejected = await patch(ids[0]!, { date: '2027/03/02', time: '10:00' }, '?scope=series&conflicts=reject');
    expect([rejected.status, rejected.body.type]).toEqual([409, 'urn:problem:schedule-conflict']);
    expect(rejected.body.conflicts.map((conflict: { position: number }) => conflict.position)).toEqual([1, 2, 3]);
    expect(await starts(ids)).toEqual(['2027-03-01T09:30:00Z', '2027-03-08T09:30:00Z', '2027-03-15T09:30:00Z']);
    const told = await patch(ids[0]!, { date: '2027/03/02', time: '10:00' }, '?scope=series');
    expect([told.status, told.body.conflicts.length]).toEqual([200, 3]);
  });
});

describe('states and transitions', () => {
  const FUTURE = '2027-02-01T00:00:00Z';
  const AFTERWARDS = '2027-03-01T12:00:00Z';

  /** Creates a Session with a status. Returns its id and that of its series. */
  async function inState(status: SessionStatus): Promise<{ id: number; seriesId: string }> {
    const [id] = await create();
    const { seriesId } = await stored(id!);
    const pause = () =>
      app.call('POST', `/gateway/profile/caregiver/series/${seriesId}/pause`, { token: clinic.careProviderToken });
    app.clock.set(status === 'COMPLETED' || status === 'NO_SHOW' ? AFTERWARDS : FUTURE);
    if (status === 'PAUSED') await pause();
    if (status === 'COMPLETED') await step(id!, 'complete');
    if (status === 'NO_SHOW') await step(id!, 'no-show');
    if (status === 'CANCELLED') await step(id!, 'cancel', { reason: 'ILLNESS' });
    expect((await stored(id!)).status).toBe(status);
    return { id: id!, seriesId };
  }

  const take = (id: number, seriesId: string, what: string) => {
    const token = clinic.careProviderToken;
    if (what === 'pause' || what === 'resume') {
      return app.call('POST', `/gateway/profile/caregiver/series/${seriesId}/${what}`, { token });
    }
    return step(id, what, what === 'cancel' ? { reason: 'OTHER' } : undefined);
  };

  const table = SESSION_STATUSES.flatMap((status) => STATUS_OPERATIONS.map((what) => [status, what] as const));

  it.each(table)('%s, %s', async (status, what) => {
    const { id, seriesId } = await inState(status);
    // Only Sessions that have started can be completed; only those that have not can be paused.
    if (what === 'complete' || what === 'no-show') app.clock.set(AFTERWARDS);
    const next = STATUS_TRANSITIONS[status][what];
    const answer = await take(id, seriesId, what);
    expect(answer.status).toBe(next === undefined ? 409 : 200);
    expect((await stored(id)).status).toBe(next ?? status);
    if (next !== undefined || what === 'pause' || what === 'resume') return;
    const hasStarted = status === 'COMPLETED' || status === 'NO_SHOW' || what === 'complete' || what === 'no-show';
    const refused = ['pause', 'resume', ...(hasStarted ? [] : ['complete', 'no-show'])];
    const allowed = Object.keys(STATUS_TRANSITIONS[status]).filter((step) => !refused.includes(step));
    expect(answer.body.detail).toMatch(new RegExp(` It allows: ${allowed.join(', ')}\\.$`));
  });

  it('match the table of the API guide', () => {
    const guide = readFileSync('docs/api-guide.md', 'utf8');
    for (const status of SESSION_STATUSES) {
      const cells = STATUS_OPERATIONS.map((what) => STATUS_TRANSITIONS[status][what] ?? '').map((next) =>
        next ? ` ${next} ` : ' ',
      );
      const row = `| ${status} |${cells.join('|')}|`.replaceAll(/\s+/g, ' ');
      expect(guide.replaceAll(/ +/g, ' ')).toContain(row);
    }
  });

  it.each(['complete', 'no-show'])('%s is not allowed before the start', async (what) => {
    const [id] = await create();
    const answer = await step(id!, what);
    expect([answer.status, answer.body.detail]).toEqual([409, expect.stringContaining('cancel')]);
  });

  it('a step can be undone for 30 days', async () => {
    const { id } = await inState('COMPLETED');
    app.clock.advance({ hours: 30 * 24 + 1 });
    expect((await step(id, 'undo')).status).toBe(409);
    app.clock.advance({ hours: -2 });
    expect((await step(id, 'undo')).status).toBe(200);
  });

  it('undo of a cancellation within a paused series leads back to PAUSED', async () => {
    const { id, seriesId } = await inState('PAUSED');
    await step(id, 'cancel', { reason: 'OTHER' });
    await step(id, 'undo');
    expect((await stored(id)).status).toBe('PAUSED');
    expect((await take(id, seriesId, 'resume')).status).toBe(200);
  });
});

describe('a cancellation', () => {
  it('says of a missing reason that it is required', async () => {
    const [id] = await create();
    const { status, body } = await step(id!, 'cancel', { note: 'On holiday' });
    const detail = expect.stringMatching(/^is required and must be one of CLIENT_REQUEST, /);
    expect([status, body.errors]).toEqual([400, [{ pointer: '/reason', detail }]]);
  });

  it.each([{}, { reason: 'BORED' }, { reason: 'OTHER', note: 'x'.repeat(501) }])('refuses %j', async (body) => {
    const [id] = await create();
    expect((await step(id!, 'cancel', body)).status).toBe(400);
    expect((await stored(id!)).status).toBe('SCHEDULED');
  });

  it.each(['', ' \n ', null])('has no note if the note is %j', async (note) => {
    const [id] = await create();
    expect((await step(id!, 'cancel', { reason: 'OTHER', note })).status).toBe(200);
    expect((await get(id!)).body.cancellation).toEqual({ reason: 'OTHER', note: null });
  });

  it('stores its reason, withdraws the reminders, and can be undone with them', async () => {
    const [id] = await create({ reminders: ['-P1D'], remindDays: 1 });
    const before = await unsent(id!);
    const answer = await step(id!, 'cancel', { reason: 'CLIENT_REQUEST', note: 'On holiday' });
    expect(answer.status).toBe(200);
    expect((await get(id!)).body.cancellation).toEqual({ reason: 'CLIENT_REQUEST', note: 'On holiday' });
    expect(await unsent(id!)).toEqual([]);
    expect((await reminders(id!)).map(({ status, reason }) => [status, reason])).toEqual(
      before.map(() => ['WITHDRAWN', 'SESSION_CANCELLED']),
    );
    await step(id!, 'undo');
    expect(await unsent(id!)).toEqual(before);
    expect((await get(id!)).body.cancellation).toBeNull();
  });

  it('with the scope "following" cancels the rest, and is undone as a whole', async () => {
    const ids = await create({ sessionCount: 4 });
    await step(ids[2]!, 'cancel', { reason: 'ILLNESS' });
    app.clock.advance({ minutes: 1 });
    await step(ids[1]!, 'cancel?scope=following', { reason: 'TREATMENT_ENDED' });
    expect(await statuses(ids)).toEqual(['SCHEDULED', 'CANCELLED', 'CANCELLED', 'CANCELLED']);
    await step(ids[1]!, 'undo?scope=series');
    // The third Session was cancelled by a different request, so it stays cancelled.
    expect(await statuses(ids)).toEqual(['SCHEDULED', 'SCHEDULED', 'CANCELLED', 'SCHEDULED']);
  });

  it('of the series leaves what has happened', async () => {
    const ids = await create({ sessionCount: 3 });
    app.clock.set('2027-03-08T12:00:00Z');
    await step(ids[0]!, 'complete');
    await step(ids[2]!, 'cancel?scope=series', { reason: 'OTHER' });
    expect(await statuses(ids)).toEqual(['COMPLETED', 'SCHEDULED', 'CANCELLED']);
  });

  it('stops a reminder that has been queued', async () => {
    const [id] = await create({ reminders: ['-P1D'] });
    app.clock.set('2027-02-28T09:30:00Z');
    await app.asSuperuser((em) => em.nativeUpdate(Reminder, { sessionId: id! }, { status: 'QUEUED' }));
    await step(id!, 'cancel', { reason: 'OTHER' });
    expect((await reminders(id!)).map(({ status }) => status)).toEqual(['WITHDRAWN', 'WITHDRAWN']);
  });
});

describe('a reminder that was sent', () => {
  it('is sent once more for the new time when the Session moves', async () => {
    const [id] = await create({ reminders: ['-P1D'] });
    app.clock.set('2027-02-28T09:30:00Z');
    await app.deliverDueReminders();
    await waitFor(async () => (await reminders(id!)).every(({ status }) => status === 'SENT'));
    await patch(id!, { date: '2027/03/10' });
    await patch(id!, { date: '2027/03/11' });
    expect(await unsent(id!)).toEqual(['CLIENT 2027-03-10T09:30:00Z', 'CARE_PROVIDER 2027-03-10T09:30:00Z']);
    expect((await reminders(id!)).filter(({ status }) => status === 'SENT')).toHaveLength(2);
  });
});
