import { jest } from '@jest/globals';
import { sql, type RawBuilder } from 'kysely';
import { AuditRetention, AuditSealer } from '../../src/audit/index.js';
import { ErasureRun } from '../../src/erasure/run/erasure.run.js';
import { RetentionRun } from '../../src/retention/index.js';
import { Scheduler } from '../../src/scheduler/index.js';
import { SessionRetention } from '../../src/session/index.js';
import { allowEarlyRetirement } from '../support/database/audit-retention.js';
import { TestApp, testEnvironment, type ClinicFixture } from '../support/app/test-app.js';

/*
 * Tests that a Clinic can choose how long its data is kept, and that the job removes exactly what a dry run has
 * counted.
 */

const PATH = '/gateway/profile/clinic/retention';
const CAREGIVER = '/gateway/profile/caregiver';
const BOUNDS = {
  RETENTION_MINIMUM: 'sessions=P1Y,homework=P6M,reminders=P1M,audit=P1Y',
  RETENTION_MAXIMUM: 'audit=P20Y',
  RETENTION_DEFAULT: 'audit=P20Y',
};
const CHOICE = { sessions: 'P3Y', homework: 'P2Y', reminders: 'P1Y', audit: 'P2Y' };

let app: TestApp;
let clinic: ClinicFixture;
beforeAll(async () => {
  const rawVariables = { ...testEnvironment.rawVariables, ...BOUNDS };
  app = await TestApp.start({ rawVariables });
  await allowEarlyRetirement(app);
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.clock.set('2026-11-21T10:00:00Z');
  // Without settings, the Clinics of other tests keep their data.
  await app.queryRows(sql`delete from retention_setting`);
  clinic = await app.createClinic();
});

const read = async (query = '') => (await app.call('GET', `${PATH}${query}`, { token: clinic.clinicToken })).body;
const put = (body: object, query = '', headers = {}) =>
  app.call('PUT', `${PATH}${query}`, { token: clinic.clinicToken, body, headers });
const run = () => app.nest.get(RetentionRun).removeExpired();
const countsOf = (body: Record<string, { removable: number }>) =>
  Object.fromEntries(['sessions', 'homework', 'reminders', 'audit'].map((kind) => [kind, body[kind]!.removable]));

/** Books a series as the first Care Provider. Returns its id. */
async function book(change: object = {}, of = clinic): Promise<string> {
  const body = { clientId: of.clientIds[0], title: 'T', date: '2026/12/01', time: '09:30', sessionCount: 3, ...change };
  const answer = await app.call('POST', `${CAREGIVER}/session`, { token: of.careProviderToken, body });
  expect(answer.status).toBe(201);
  return new URL(answer.headers.get('location')!, app.url).searchParams.get('seriesId')!;
}

/** Books a series in this Clinic and in another one, whose retention then ends. Returns the other Clinic. */
async function bookExpiredInTwoClinics(): Promise<ClinicFixture> {
  const other = await app.createClinic();
  for (const owner of [clinic, other]) {
    const body = { sessions: 'P1Y' };
    expect((await app.call('PUT', PATH, { token: owner.clinicToken, body })).status).toBe(200);
    await book({}, owner);
  }
  app.clock.set('2028-12-03T10:00:00Z');
  return other;
}

/** Counts the rows of a Clinic by series, to show what the job has left. */
async function rowsLeft(of = clinic) {
  const rows = await app.queryRows(sql<{ id: string; sessions: number; homework: number; reminders: number }>`
    select series.id,
      (select count(*)::int from session s where s.clinic_id = ${of.clinicId} and s.series_id = series.id) as sessions,
      (select count(*)::int from homework h join session s on s.clinic_id = h.clinic_id and s.id = h.session_id
        where s.clinic_id = ${of.clinicId} and s.series_id = series.id) as homework,
      (select count(*)::int from reminder r join session s on s.clinic_id = r.clinic_id and s.id = r.session_id
        where s.clinic_id = ${of.clinicId} and s.series_id = series.id) as reminders
    from session_series series where clinic_id = ${of.clinicId}`);
  return Object.fromEntries(rows.map(({ id, ...counts }) => [id, counts]));
}

describe('the choice', () => {
  it('has defaults that keep everything, and names the bounds', async () => {
    const { status, headers, body } = await app.call('GET', PATH, { token: clinic.clinicToken });
    expect([status, headers.get('etag')]).toEqual([200, '"0"']);
    expect(body).toMatchObject({ version: 0, changedAt: null });
    expect(body.sessions).toEqual({
      chosen: null,
      effective: 'UNLIMITED',
      default: 'UNLIMITED',
      minimum: 'P1Y',
      maximum: 'UNLIMITED',
      removedBefore: null,
      removable: 0,
      isLowerBound: false,
    });
    expect(body.audit).toMatchObject({ effective: 'P20Y', default: 'P20Y', minimum: 'P1Y', maximum: 'P20Y' });
  });

  it('adds a version with each change, and none for the same choice or a dry run', async () => {
    expect((await put(CHOICE, '?dryRun=true')).body).toMatchObject({ version: 1 });
    expect((await read()).version).toBe(0);
    const first = await put(CHOICE);
    expect([first.status, first.headers.get('etag')]).toEqual([200, '"1"']);
    expect((await put(CHOICE)).body.version).toBe(1);
    expect((await put({ sessions: 'P5Y' })).body).toMatchObject({
      version: 2,
      sessions: { chosen: 'P5Y', effective: 'P5Y' },
      homework: { chosen: null, effective: 'P5Y' },
    });
    const kept = await app.queryRows(sql`
      select version, sessions, audit from retention_setting where clinic_id = ${clinic.clinicId} order by version`);
    expect(kept).toEqual([
      { version: 1, sessions: 'P3Y', audit: 'P2Y' },
      { version: 2, sessions: 'P5Y', audit: null },
    ]);
  });

  it.each(['abc', 'W/"0"', '"00"', '"1"', '""'])('refuses If-Match: %s before anything was chosen', async (tag) => {
    expect((await put(CHOICE, '', { 'if-match': tag })).status).toBe(412);
    expect((await read()).version).toBe(0);
  });

  it('refuses a version that is not the current one', async () => {
    expect((await put(CHOICE, '', { 'if-match': '"0"' })).status).toBe(200);
    expect((await put({}, '', { 'if-match': '"0"' })).status).toBe(412);
    expect((await read()).version).toBe(1);
  });

  it.each([
    [{ sessions: 'P11M' }, '/sessions', 'must be at least P1Y'],
    [{ audit: 'UNLIMITED' }, '/audit', 'must be at most P20Y'],
    [{ audit: 'P364D' }, '/audit', 'must be at least P1Y'],
    [{ sessions: 'P2Y', homework: 'P25M' }, '/homework', 'must not be longer than that of sessions, P2Y'],
    [{ sessions: 'P2Y', reminders: 'UNLIMITED' }, '/reminders', 'must not be longer than that of sessions, P2Y'],
    ...[{ sessions: 'P1Y6M' }, { sessions: 'PT5H' }, { sessions: '-P1Y' }, { sessions: 'P1000Y' }, { sessions: 5 }].map(
      (body): [object, string, string] => [body, '/sessions', 'must be a'],
    ),
    [{ plans: 'P1Y' }, '/plans', 'is not a field'],
  ])('refuses %j', async (body, pointer, detail) => {
    const answer = await put(body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual([{ pointer, detail: expect.stringContaining(detail) }]);
    expect((await read()).version).toBe(0);
  });
});

describe('the job', () => {
  it('removes what the dry run has counted, and nothing that is ahead, open or of another Clinic', async () => {
    const other = await app.createClinic();
    const ended = await book({ bookIdList: [clinic.ownBookId], reminders: ['-P1D'] });
    await book({ bookIdList: [other.ownBookId], reminders: ['-P1D'] }, other);
    const ahead = await book({ date: '2035/01/01', time: '11:00' });
    const partlyAhead = await book({ sessionCount: 2, intervalDays: 365, date: '2028/06/01', time: '12:00' });
    const open = await book({ sessionCount: 1, remindDays: 3650, time: '13:00' });
    const paused = await book({ time: '15:00' });
    const pause = `/gateway/profile/clinic/series/${paused}/pause`;
    expect((await app.call('POST', pause, { token: clinic.clinicToken, body: {} })).status).toBe(200);
    app.clock.set('2026-12-20T10:00:00Z');
    await app.deliverDueReminders();
    await app.nest.get(AuditSealer).seal();

    app.clock.set('2028-01-10T10:00:00Z');
    await app.nest.get(AuditSealer).seal();
    const before = [await rowsLeft(), await rowsLeft(other)];
    for (const [at, expected, left] of [
      // One year after the last Session, the reminders are removed.
      ['2028-01-10', { sessions: 0, homework: 0, reminders: 6, audit: 0 }, { sessions: 3, homework: 3, reminders: 0 }],
      ['2029-01-10', { sessions: 0, homework: 3, reminders: 0 }, { sessions: 3, homework: 0, reminders: 0 }],
      ['2030-01-10', { sessions: 3, homework: 0, reminders: 0 }, undefined],
    ] as const) {
      app.clock.set(`${at}T10:00:00Z`);
      const counted = countsOf((await put(CHOICE, '?dryRun=true')).body);
      expect(counted).toMatchObject(expected);
      await put(CHOICE);
      expect(countsOf(await read())).toEqual(counted);
      expect(await run()).toEqual({ ...counted, partitions: 0 });
      expect(countsOf(await read())).toEqual({ sessions: 0, homework: 0, reminders: 0, audit: 0 });
      expect((await rowsLeft())[ended]).toEqual(left);
      expect(await run()).toEqual({ sessions: 0, homework: 0, reminders: 0, audit: 0, partitions: 0 });
      await app.nest.get(AuditSealer).seal();
    }
    const left = await rowsLeft();
    expect(Object.keys(left).sort()).toEqual([ahead, partlyAhead, open, paused].sort());
    for (const id of Object.keys(left)) expect([id, left[id]]).toEqual([id, before[0]![id]]);
    expect(await rowsLeft(other)).toEqual(before[1]);
  });

  it('counts a shorter retention of Sessions with all that goes with them, which several runs remove once', async () => {
    for (let series = 0; series < 25; series += 1) await book({ sessionCount: 1, date: '2026/12/02' });
    await book({ bookIdList: [clinic.ownBookId, clinic.sharedBookId], reminders: ['-P1D', '-PT2H'] });
    app.clock.set('2026-12-20T10:00:00Z');
    await app.deliverDueReminders();
    app.clock.set('2028-06-01T10:00:00Z');
    await app.nest.get(AuditSealer).seal();
    const choice = { sessions: 'P1Y', homework: 'P1Y', reminders: 'P1Y', audit: 'P1Y' };
    const counted = countsOf((await put(choice)).body);
    expect(counted).toEqual({ sessions: 28, homework: 6, reminders: 12, audit: 26 });
    const runs = await Promise.all([run(), run(), run()]);
    const sum = (kind: string) => runs.reduce((total, removed) => total + removed[kind as 'audit'], 0);
    expect(Object.fromEntries(Object.keys(counted).map((kind) => [kind, sum(kind)]))).toEqual(counted);
    expect(await rowsLeft()).toEqual({});
  });

  it('keeps the Sessions of a Client under a legal hold until it is lifted', async () => {
    const kept = await book({ bookIdList: [clinic.ownBookId], reminders: ['-P1D'] });
    const removed = await book({ clientId: clinic.clientIds[1], time: '12:00' });
    const hold = `/gateway/profile/clinic/client/${clinic.clientIds[0]}/legal-hold`;
    const token = clinic.clinicToken;
    expect((await app.call('PUT', hold, { token, body: { reason: 'LITIGATION' } })).status).toBe(200);
    app.clock.set('2026-12-20T10:00:00Z');
    await app.deliverDueReminders();
    app.clock.set('2030-01-10T10:00:00Z');
    const choice = { sessions: 'P3Y', homework: 'P2Y', reminders: 'P1Y' };
    expect(countsOf((await put(choice)).body)).toMatchObject({ sessions: 3, homework: 0, reminders: 0 });
    const before = await rowsLeft();
    expect(Object.keys(before).sort()).toEqual([kept, removed].sort());
    await run();
    expect(await rowsLeft()).toEqual({ [kept]: before[kept] });
    expect((await app.call('DELETE', hold, { token })).status).toBe(204);
    await run();
    expect(await rowsLeft()).toEqual({});
  });

  it('removes the data of other Clinics, if that of one cannot be removed', async () => {
    const other = await bookExpiredInTwoClinics();
    const sessions = app.nest.get(SessionRetention);
    const removeBatch = sessions.removeBatch.bind(sessions);
    const removing = jest
      .spyOn(sessions, 'removeBatch')
      .mockImplementation((em, kind, ended, now) =>
        ended.clinicId === clinic.clinicId
          ? Promise.reject(new Error('a row is locked'))
          : removeBatch(em, kind, ended, now),
      );
    const retiring = jest.spyOn(app.nest.get(AuditRetention), 'retire');
    await expect(run()).rejects.toThrow('a row is locked');
    expect([Object.keys(await rowsLeft()).length, await rowsLeft(other)]).toEqual([1, {}]);
    expect(retiring).toHaveBeenCalledTimes(1);
    removing.mockRestore();
    retiring.mockRestore();
    await run();
    expect(await rowsLeft()).toEqual({});
  });

  it('keeps the data of a Clinic whose time zone it does not know, and removes that of others', async () => {
    const other = await bookExpiredInTwoClinics();
    const setZone = (zone: string) =>
      app.queryRows(sql`update clinic set time_zone = ${zone} where id = ${clinic.clinicId}`);
    await setZone('Mars/Olympus_Mons');
    const shown = { effective: 'P1Y', removedBefore: null, removable: 0 };
    expect(await read()).toMatchObject({ sessions: shown });
    expect(await put({ sessions: 'P1Y', homework: 'P6M' })).toMatchObject({ status: 200, body: { sessions: shown } });
    await run();
    expect([Object.keys(await rowsLeft()).length, await rowsLeft(other)]).toEqual([1, {}]);
    await setZone('Europe/London');
    await run();
    expect(await rowsLeft()).toEqual({});
  });

  it('leaves the rules of reminders, which a Session has again if it is moved to the future', async () => {
    await put({ reminders: 'P1M' });
    const seriesId = await book({ sessionCount: 2, reminders: ['-P1D', '-PT1H'], remindDays: 1 });
    // The reminders are too late to be sent.
    await app.queryRows(sql`
      update reminder set status = 'SKIPPED', reason = 'TOO_LATE', settled_at = due_at where clinic_id = ${clinic.clinicId}`);
    app.clock.set('2027-06-01T10:00:00Z');
    await run();
    expect(await rowsLeft()).toEqual({ [seriesId]: expect.objectContaining({ sessions: 2, reminders: 0 }) });
    const token = clinic.careProviderToken;
    const { items } = (await app.call('GET', `${CAREGIVER}/session?seriesId=${seriesId}`, { token })).body;
    const move = (query: string, index: number, date: string) =>
      app.call('PATCH', `${CAREGIVER}/session/${items[index].id}${query}`, {
        ...{ token, body: { date }, headers: { 'if-match': `"${items[index].version}"` } },
      });
    // Moved within the past, it has none.
    expect((await move('?dryRun=true', 0, '2027/05/01')).body.sessions[0].reminders).toEqual([]);
    const { status, body } = await move('', 0, '2027/06/10');
    const reminder = (dueAt: string) => expect.objectContaining({ dueAt, status: 'PENDING' });
    const [dayBefore, hourBefore] = [reminder('2027-06-09T08:30:00.000Z'), reminder('2027-06-10T07:30:00.000Z')];
    expect([status, body.sessions[0].reminders]).toEqual([200, [dayBefore, dayBefore, hourBefore, hourBefore]]);
    expect(await rowsLeft()).toEqual({ [seriesId]: expect.objectContaining({ reminders: 4 }) });
    expect((await move('', 1, '2027/06/11')).status).toBe(200);
    expect(await rowsLeft()).toEqual({ [seriesId]: expect.objectContaining({ reminders: 8 }) });
  });

  const later = sql`timestamptz '2028-06-01T10:00:00Z'`;

  it.each<[string, RawBuilder<unknown>]>([
    ['has a paused Session', sql`update session set status = 'PAUSED'`],
    ['was entered later', sql`update session_series set created_at = ${later}`],
    ['has a Session that was entered later', sql`update session set created_at = ${later}`],
    ['has a Session that took place later', sql`update session set ends_at = ${later}`],
    ['has a Session whose status changed later', sql`update session set status_changed_at = ${later}`],
    ['has a reminder that is still to be sent', sql`update reminder set status = 'PENDING', settled_at = null`],
    ['has a reminder that was due later', sql`update reminder set due_at = ${later}`],
    ['has a reminder that was settled later', sql`update reminder set settled_at = ${later}`],
  ])('keeps a series that %s, and counts nothing of it', async (_, change) => {
    const kept = await book({ sessionCount: 1, reminders: ['-P1D'] });
    app.clock.set('2026-12-20T10:00:00Z');
    await app.deliverDueReminders();
    await app.queryRows(sql`${change} where clinic_id = ${clinic.clinicId}`);
    await book({ sessionCount: 1, date: '2026/12/21' });
    app.clock.set('2028-12-20T10:00:00Z');
    const counted = countsOf((await put({ sessions: 'P1Y', reminders: 'P1Y' })).body);
    expect(counted).toMatchObject({ sessions: 1, reminders: 0 });
    expect(await run()).toMatchObject({ sessions: 1, reminders: 0 });
    expect(await rowsLeft()).toEqual({ [kept]: { sessions: 1, homework: 0, reminders: 2 } });
  });

  it('removes a paused series whose Client has left: its paused Sessions were cancelled, so it is never resumed', async () => {
    const seriesId = await book({ reminders: ['-P1D'] });
    const asClinic = (method: string, path: string) =>
      app.call(method, `/gateway/profile/clinic/${path}`, { token: clinic.clinicToken });
    expect((await asClinic('POST', `series/${seriesId}/pause`)).status).toBe(200);
    expect((await asClinic('DELETE', `client/${clinic.clientIds[0]}`)).status).toBe(204);
    app.clock.set('2028-06-01T10:00:00Z');
    const counted = countsOf((await put({ sessions: 'P1Y', reminders: 'P1Y' })).body);
    expect(counted).toMatchObject({ sessions: 3, reminders: 6 });
    expect(await run()).toMatchObject({ sessions: 3 });
    expect(await rowsLeft()).toEqual({});
  });

  it('counts from when a record of the past was entered', async () => {
    await book({ date: '2010/01/04' });
    await put({ sessions: 'P1Y' });
    expect(await run()).toMatchObject({ sessions: 0 });
    app.clock.set('2027-11-22T10:00:00Z');
    expect(await run()).toMatchObject({ sessions: 3 });
  });

  it('forgets the name of a removed record when no entry of the audit trail can name it any more', async () => {
    await put({ audit: 'P1Y' });
    await app.nest.get(AuditSealer).seal();
    await app.queryRows(sql`
      insert into removed_record (clinic_id, client_id, name, removed_at)
      values (${clinic.clinicId}, ${clinic.clientIds[0]}, 'session/1', timestamptz '2026-12-20T10:00:00Z')`);
    const names = () => app.queryRows(sql`select name from removed_record where clinic_id = ${clinic.clinicId}`);
    app.clock.set('2027-06-01T10:00:00Z');
    await run();
    expect(await names()).toEqual([{ name: 'session/1' }]);
    app.clock.set('2028-02-01T10:00:00Z');
    await put({ audit: 'P2Y' });
    await put({ audit: 'P1Y' });
    expect(await run()).toMatchObject({ audit: 1 });
    expect(await names()).toEqual([]);
  });

  it('removes the audit trail of an erased Clinic when the retention has ended that the Clinic had chosen', async () => {
    await put({ audit: 'P2Y' });
    await app.nest.get(AuditSealer).seal();
    const token = await app.createToken('ADMIN');
    const erasure = `/gateway/admin/clinic/${clinic.clinicId}/erasure`;
    const { id } = (await app.call('POST', erasure, { token, body: { reason: 'SUBJECT_REQUEST' } })).body;
    app.clock.advance({ hours: 1 });
    expect((await app.call('POST', `${erasure}/${id}/confirmation`, { token })).status).toBe(200);
    app.clock.advance({ minutes: 5 });
    await app.nest.get(ErasureRun).eraseConfirmed();
    app.clock.set('2028-11-21T10:00:00Z');
    expect(await run()).toMatchObject({ audit: 0 });
    app.clock.set('2028-12-21T10:00:00Z');
    expect(await run()).toMatchObject({ audit: 1 });
  });

  it('names what it has removed in the audit trail of the Clinic, and in the metrics', async () => {
    const id = await book({ date: '2026/12/01', sessionCount: 1 });
    app.clock.set('2028-12-03T10:00:00Z');
    await put({ sessions: 'P1Y' });
    await run();
    const { items } = (
      await app.call('GET', '/gateway/profile/clinic/audit?actorRole=SYSTEM', { token: clinic.clinicToken })
    ).body as { items: { operation: string; records: string[] }[] };
    expect(items.map(({ operation }) => operation)).toEqual(['system retention sessions']);
    expect(items[0]!.records).toEqual([`series/${id}`, expect.stringMatching(/^session\/\d+$/)]);
    const metrics = (await app.call('GET', '/metrics')).text;
    expect(metrics).toMatch(/scheduling_retention_removed_total\{kind="sessions"\} [1-9]/);
  });

  it('tells consumers that synchronise of each Session that it removes', async () => {
    const seriesId = await book();
    const paths: [string, string][] = [
      [`${CAREGIVER}/session`, clinic.careProviderToken],
      ['/gateway/profile/clinic/session', clinic.clinicToken],
      ['/gateway/profile/client/session', await app.createToken('CLIENT', clinic.clientIds[0])],
      ['/gateway/profile/clinic/session?seriesId=019abcde-0000-7000-8000-000000000000', clinic.clinicToken],
      [`${CAREGIVER}/session`, await app.createToken('CARE_PROVIDER', clinic.careProviderIds[1])],
    ];
    const sync = async ([path, token]: [string, string], parameter: string) => {
      const answer = await app.call('GET', `${path}${path.includes('?') ? '&' : '?'}${parameter}`, { token });
      expect(answer.status).toBe(200);
      return answer.body as { items: { id: number }[]; deleted: { id: number; version: number }[]; syncToken: string };
    };
    app.clock.set('2028-12-20T10:00:00Z');
    const first = [];
    for (const path of paths) first.push(await sync(path, 'sync=true'));
    const ids = first[0]!.items.map(({ id }) => id);
    expect(ids).toHaveLength(3);
    await put({ sessions: 'P2Y' });
    app.clock.advance({ hours: 24 });
    expect(await run()).toMatchObject({ sessions: 3 });
    const deleted = [];
    for (const [index, path] of paths.entries())
      deleted.push((await sync(path, `syncToken=${first[index]!.syncToken}`)).deleted);
    const all = ids.map((id) => ({ id, version: 2 }));
    expect(deleted).toEqual([all, all, all, [], []]);
    expect(
      (await app.call('GET', `${CAREGIVER}/session?seriesId=${seriesId}`, { token: paths[0]![1] })).body.items,
    ).toEqual([]);
    // By then, all clients with a valid sync token have received the tombstones.
    const kept = () => app.queryRows(sql`select 1 from removed_session where clinic_id = ${clinic.clinicId}`);
    await app.nest.get(Scheduler).run('tombstones-clean-up');
    expect(await kept()).toHaveLength(3);
    await app.queryRows(sql`
      update removed_session set removed_at = now() - interval '31 days' where clinic_id = ${clinic.clinicId}`);
    await app.nest.get(Scheduler).run('tombstones-clean-up');
    expect(await kept()).toEqual([]);
  });

  it('tells consumers of the series and homework that it removes, with higher versions than they hold', async () => {
    const seriesId = await book({ bookIdList: [clinic.ownBookId], sessionCount: 2 });
    const unrelated = await app.createToken('CARE_PROVIDER', clinic.careProviderIds[1]);
    const paths: [string, string][] = [
      ['/gateway/profile/clinic/series', clinic.clinicToken],
      [`${CAREGIVER}/series`, clinic.careProviderToken],
      ['/gateway/profile/clinic/homework', clinic.clinicToken],
      ['/gateway/profile/client/homework', await app.createToken('CLIENT', clinic.clientIds[0])],
      [`${CAREGIVER}/series`, unrelated],
    ];
    type Changes = { items: { id: unknown; version: number }[]; deleted: unknown[]; syncToken: string };
    const syncAll = (toParameter: (index: number) => string) =>
      Promise.all(
        paths.map(async ([path, token], index) => {
          const answer = await app.call('GET', `${path}?${toParameter(index)}`, { token });
          expect([path, answer.status]).toEqual([path, 200]);
          return answer.body as Changes;
        }),
      );
    app.clock.set('2028-12-20T10:00:00Z');
    const first = await syncAll(() => 'sync=true');
    const held = first.map(({ items }) => items.map(({ id, version }) => [id, version]));
    const homework = held[2]!.map(([id]) => id);
    expect(homework).toHaveLength(2);
    // The version 3 is the sum of three versions: that of the series or homework itself, and those of its two Sessions.
    const expected = (ids: unknown[], version: number) => ids.map((id) => [id, version]);
    const [series, items] = [expected([seriesId], 3), expected(homework, 3)];
    expect(held).toEqual([series, series, items, items, []]);
    await put({ sessions: 'P2Y' });
    app.clock.advance({ hours: 24 });
    expect(await run()).toMatchObject({ sessions: 2, homework: 2 });
    // Sets the time of the tombstones, because a trigger takes it from the database instead of the test clock.
    await app.queryRows(sql`
      update removed_homework set removed_at = ${app.clock.now().toString()}::timestamptz
      where clinic_id = ${clinic.clinicId}`);
    const deleted = (await syncAll((index) => `syncToken=${first[index]!.syncToken}`)).map((page) => page.deleted);
    const removedSeries = [{ id: seriesId, version: 5 }];
    const removedHomework = homework.map((id) => ({ id, version: 6 }));
    expect(deleted).toEqual([removedSeries, removedSeries, removedHomework, removedHomework, []]);
  });

  it.each(['before', 'after'])('tells a Care Provider whose assignment ends %s the removal', async (when) => {
    const seriesId = await book({ caregiverId: clinic.careProviderIds[1], sessionCount: 2 });
    const sync = (list: string, parameter: string) =>
      app.call('GET', `${CAREGIVER}/${list}?${parameter}`, { token: clinic.careProviderToken });
    app.clock.set('2028-12-20T10:00:00Z');
    const [sessions, series] = [await sync('session', 'sync=true'), await sync('series', 'sync=true')];
    const ids = (sessions.body.items as { id: number }[]).map(({ id }) => id);
    expect([ids.length, series.body.items]).toEqual([2, [expect.objectContaining({ id: seriesId })]]);
    await put({ sessions: 'P2Y' });
    app.clock.advance({ hours: 24 });
    const assignment = `/gateway/profile/clinic/client/${clinic.clientIds[0]}/care-provider/${clinic.careProviderIds[0]}`;
    const unassign = async () => {
      expect((await app.call('DELETE', assignment, { token: clinic.clinicToken })).status).toBe(204);
      // A trigger takes the time from the database, which is not that of the tests.
      await app.queryRows(sql`
        update hidden_session set hidden_at = ${app.clock.now().toString()}::timestamptz
        where clinic_id = ${clinic.clinicId}`);
    };
    if (when === 'before') await unassign();
    expect(await run()).toMatchObject({ sessions: 2 });
    if (when === 'after') await unassign();
    const next = async ({ body }: typeof sessions, list: string) =>
      (await sync(list, `syncToken=${body.syncToken as string}`)).body.deleted as unknown;
    expect(await next(sessions, 'session')).toEqual(ids.map((id) => ({ id, version: 2 })));
    expect(await next(series, 'series')).toEqual([{ id: seriesId, version: expect.any(Number) }]);
  });
});
