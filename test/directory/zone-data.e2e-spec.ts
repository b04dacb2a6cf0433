import { MikroORM } from '@mikro-orm/core';
import { sql } from 'kysely';
import { AuditEntry } from '../../src/audit/index.js';
import { Reminder } from '../../src/reminder/index.js';
import { Scheduler } from '../../src/scheduler/index.js';
import { Session, SessionTimeRecomputation } from '../../src/session/index.js';
import { forkForActor } from '../../src/shared/persistence/index.js';
import { ZoneData } from '../../src/shared/time/index.js';
import { ZoneDataRecomputation, ZoneDataAdoption } from '../../src/zone-data/index.js';
import { buildAssignment, createPlan, readCreatedId } from '../support/app/series-fixtures.js';
import { TestApp, type ClinicFixture } from '../support/app/test-app.js';

/*
 * Tests a database whose instants were computed with older time zone data: all times in New York are stored an hour too
 * late. With the data of this process, upcoming times are corrected.
 */

const ZONE = 'America/New_York';
const CAREGIVER = '/gateway/profile/caregiver/session';

let app: TestApp;
let clinic: ClinicFixture;
/** IDs of the Sessions, keyed by the name of their case. */
const ids: Record<string, number> = {};
beforeAll(async () => {
  app = await TestApp.start();
  // Stops the job, which runs every five seconds, so that only the tests run it.
  await app.nest.get(Scheduler).stop('zone-data');
  clinic = await app.createClinic(ZONE);
  await app.asSuperuser((em) => em.nativeDelete(ZoneDataAdoption, {}));
  await app.nest.get(ZoneDataRecomputation).adopt();
  await createSessions();
  await makeOld();
});
afterAll(() => app.stop());

const call = (method: string, path: string, body?: object, headers = {}) =>
  app.call(method, path, { token: clinic.careProviderToken, body, headers });

async function create(date: string, time: string, change: object = {}, headers = {}): Promise<number> {
  const body = { clientId: clinic.clientIds[0], title: 'T', date, time, ...change };
  const { headers: answered, status } = await call('POST', CAREGIVER, body, headers);
  expect(status).toBe(201);
  return (await call('GET', answered.get('location')!)).body.items[0].id;
}

async function createSessions(): Promise<void> {
  ids['ahead'] = await create('2026/12/01', '10:00', { remindDays: 3, reminders: ['-P1D', '-PT1H'] });
  ids['over'] = await create('2026/11/20', '10:00', { reminders: ['P7D'] });
  // The old start of this Session is after the current time, 10:00 in UTC, and its new start is not.
  ids['aboutToStart'] = await create('2026/11/21', '04:30');
  ids['cancelled'] = await create('2026/12/02', '10:00', { reminders: ['-P1D'] });
  expect((await call('POST', `${CAREGIVER}/${ids['cancelled']}/cancel`, { reason: 'OTHER' })).status).toBe(200);
  ids['paused'] = await create('2026/12/03', '10:00', { reminders: ['-P1D'] });
  const { seriesId } = (await call('GET', `${CAREGIVER}/${ids['paused']}`)).body;
  expect((await call('POST', `/gateway/profile/caregiver/series/${seriesId}/pause`)).status).toBe(200);
  ids['fixed'] = await create('2026/12/01', '10:00', { reminders: ['-P1D'] }, { offset: '-180' });
  const weeks = [{ assignments: [buildAssignment(clinic.ownBookId, [1, '05:30'], [5, '07:00'])] }];
  const plan = await createPlan(app, clinic, { weeks });
  const body = { clientId: clinic.clientIds[1], date: '2026/11/21', time: '04:00' };
  const applied = await call('POST', `/gateway/profile/caregiver/design-plan/${plan}/apply`, body);
  ids['withHomework'] = applied.body.sessions[0].id;
  const elsewhere = await app.createClinic('Europe/London');
  const london = { clientId: elsewhere.clientIds[0], title: 'T', date: '2026/12/01', time: '10:00' };
  readCreatedId(await app.call('POST', CAREGIVER, { token: elsewhere.careProviderToken, body: london }));
  await app.deliverDueReminders();
}

/** Shifts the stored instants as older time zone data would have done. Does not use the tested code. */
async function makeOld(): Promise<void> {
  await app.asSuperuser(async (em) => {
    const connection = em.getConnection();
    const execute = (statement: string) => connection.execute(statement, [], 'run', em.getTransactionContext());
    // Without a function that is only stable, which a distributed database does not apply to a column.
    const later = (column: string) =>
      `${column} = (${column} at time zone 'UTC' + interval '1 hour') at time zone 'UTC'`;
    await execute(`update session set ${later('starts_at')}, ${later('ends_at')} where time_zone = '${ZONE}'`);
    await execute(`update reminder set ${later('due_at')}, ${later('send_at')}
      where session_id in (select id from session where time_zone = '${ZONE}') and status in ('PENDING', 'WITHDRAWN')`);
    await execute(`insert into zone_data (version, started_at, finished_at) values ('1999a', now(), now())`);
  });
}

const stored = () =>
  app.asSuperuser(async (em) => ({
    sessions: await em.find(Session, {}, { orderBy: { id: 'asc' } }),
    reminders: await em.find(Reminder, {}, { orderBy: { id: 'asc' } }),
  }));
type Stored = Awaited<ReturnType<typeof stored>>;

const nameOf = (id: number) => Object.keys(ids).find((name) => ids[name] === id) ?? 'london';
/** Returns lines such as `ahead 2026-12-01T16:00:00Z 1`: case, start and version. */
const starts = ({ sessions }: Stored) =>
  sessions.map(({ id, startsAt, endsAt, version, durationMinutes }) => {
    expect(startsAt.until(endsAt).total('minutes')).toBe(durationMinutes);
    return `${nameOf(id)} ${startsAt.toString()} ${version}`;
  });
const dueTimes = ({ reminders }: Stored) =>
  reminders
    .filter(({ recipientKind }) => recipientKind === 'CLIENT')
    .map(({ subjectSessionId, dueAt, status }) => `${nameOf(subjectSessionId)} ${status} ${dueAt.toString()}`);
const runJob = () => app.nest.get(Scheduler).run('zone-data');
const uses = () => app.asSuperuser((em) => em.find(ZoneDataAdoption, {}, { orderBy: { id: 'asc' } }));

const OLD_STARTS = [
  'ahead 2026-12-01T16:00:00Z 1',
  'over 2026-11-20T16:00:00Z 1',
  'aboutToStart 2026-11-21T10:30:00Z 1',
  'cancelled 2026-12-02T16:00:00Z 2',
  'paused 2026-12-03T16:00:00Z 2',
  'fixed 2026-12-01T13:00:00Z 1',
  'withHomework 2026-11-21T10:00:00Z 1',
  'london 2026-12-01T10:00:00Z 1',
];
const NEW_STARTS = [
  'ahead 2026-12-01T15:00:00Z 2',
  'over 2026-11-20T16:00:00Z 1',
  'aboutToStart 2026-11-21T09:30:00Z 2',
  'cancelled 2026-12-02T15:00:00Z 3',
  'paused 2026-12-03T15:00:00Z 3',
  'fixed 2026-12-01T13:00:00Z 1',
  // This Session starts at the current time, so it is not upcoming. Its homework is still due.
  'withHomework 2026-11-21T10:00:00Z 1',
  'london 2026-12-01T10:00:00Z 1',
];
const OLD_DUE = [
  'ahead PENDING 2026-11-24T11:00:00Z',
  'ahead PENDING 2026-11-30T16:00:00Z',
  'ahead PENDING 2026-12-01T15:00:00Z',
  'over PENDING 2026-11-27T16:00:00Z',
  'cancelled WITHDRAWN 2026-12-01T16:00:00Z',
  'paused WITHDRAWN 2026-12-02T16:00:00Z',
  'fixed PENDING 2026-11-30T13:00:00Z',
  'withHomework PENDING 2026-11-21T11:30:00Z',
  'withHomework PENDING 2026-11-25T13:00:00Z',
];
const NEW_DUE = [
  'ahead PENDING 2026-11-24T10:00:00Z',
  'ahead PENDING 2026-11-30T15:00:00Z',
  'ahead PENDING 2026-12-01T14:00:00Z',
  // The start of this Session is in the past, so it does not change, and neither does the reminder that counts from it.
  'over PENDING 2026-11-27T16:00:00Z',
  // Times of withdrawn reminders are recomputed only when the reminders are restored.
  'cancelled WITHDRAWN 2026-12-01T16:00:00Z',
  'paused WITHDRAWN 2026-12-02T16:00:00Z',
  'fixed PENDING 2026-11-30T13:00:00Z',
  'withHomework PENDING 2026-11-21T10:30:00Z',
  'withHomework PENDING 2026-11-25T12:00:00Z',
];

it('a database without Sessions has nothing to recompute', async () => {
  const [first] = await uses();
  const { version, previous, finishedAt } = first!;
  expect([version, previous, finishedAt?.toString()]).toEqual([
    process.versions['tz'],
    null,
    first!.startedAt.toString(),
  ]);
});

it('a dry run reports the changes, and writes nothing', async () => {
  const before = await stored();
  expect([starts(before), dueTimes(before)]).toEqual([OLD_STARTS, OLD_DUE]);
  const moved: string[] = [];
  const zones = await app.nest.get(ZoneDataRecomputation).preview(({ session, from, to, reminderCount }) => {
    moved.push(`${nameOf(session.id)} ${from.until(to).total('minutes')} ${reminderCount}`);
  });
  expect(moved).toEqual(['ahead -60 6', 'aboutToStart -60 0', 'cancelled -60 0', 'paused -60 0', 'withHomework 0 2']);
  expect(zones).toEqual([{ timeZone: ZONE, sessions: 4, reminders: 8 }]);
  expect(await stored()).toEqual(before);
});

it('with newer data, the times of upcoming Sessions are recomputed, and past ones do not change', async () => {
  const before = await stored();
  await runJob();
  const after = await stored();
  expect(starts(after)).toEqual(NEW_STARTS);
  expect(dueTimes(after)).toEqual(NEW_DUE);
  for (const [index, session] of after.sessions.entries()) {
    const { startsAt: _start, endsAt: _end, version: _version, updatedAt: _updated, ...rest } = session;
    expect(before.sessions[index]).toMatchObject(rest);
    if (session.version === before.sessions[index]!.version) expect(session).toEqual(before.sessions[index]);
  }
  const [reminder] = after.reminders;
  expect(reminder!.sendAt).toEqual(reminder!.dueAt);
  expect(reminder!.history).toEqual([
    { at: '2026-11-21T10:00:00.000Z', what: 'MOVED', from: '2026-11-24T11:00:00.000Z', to: '2026-11-24T10:00:00.000Z' },
  ]);
});

it('writes an audit entry as SYSTEM, and stores the report', async () => {
  const entries = await app.asSuperuser((em) => em.find(AuditEntry, { actorRole: 'SYSTEM' }));
  expect(entries).toMatchObject([
    { clinicId: clinic.clinicId, operation: 'system time zone data', access: 'WRITE', outcome: 'OK', actorId: null },
  ]);
  const moved = ['ahead', 'aboutToStart', 'cancelled', 'paused', 'withHomework'].map((name) => `session/${ids[name]}`);
  expect(entries[0]!.records.filter((record) => record.startsWith('session/'))).toEqual(moved);
  expect(entries[0]!.records).toContain(`client/${clinic.clientIds[0]}`);
  const trail = await app.call('GET', '/gateway/profile/clinic/audit?actorRole=SYSTEM', {
    token: clinic.clinicToken,
  });
  expect(trail.body.items).toMatchObject([{ actorRole: 'SYSTEM', operation: 'system time zone data' }]);
  const version = process.versions['tz'];
  expect((await uses()).at(-1)).toMatchObject({ version, previous: '1999a', sessions: 4, reminders: 8 });
});

it('is done once', async () => {
  const before = await stored();
  await runJob();
  expect(await stored()).toEqual(before);
  expect(await uses()).toHaveLength(3);
});

it('continues after an instance was ended, and recomputes rows that an instance with older data may have written', async () => {
  await app.queryRows(sql`
    update zone_data set finished_at = null, next_session_id = ${ids['cancelled']!}, repeat_after = now()
    where id = (select max(id) from zone_data)`);
  await app.queryRows(
    sql`update session set starts_at = (starts_at at time zone 'UTC' + interval '1 hour') at time zone 'UTC' where id in (${ids['ahead']!}, ${ids['paused']!})`,
  );
  await runJob();
  const [ahead, paused] = await Promise.all(['ahead', 'paused'].map(async (name) => startOf(name)));
  expect([ahead, paused]).toEqual(['2026-12-01T16:00:00Z', '2026-12-03T15:00:00Z']);
  await runJob();
  expect(await startOf('ahead')).toBe('2026-12-01T15:00:00Z');
  expect((await uses()).at(-1)).toMatchObject({ sessions: 6, reminders: 8, repeatAfter: null });
});

const startOf = async (name: string) =>
  (await app.asSuperuser((em) => em.findOneOrFail(Session, { id: ids[name]! }))).startsAt.toString();

describe('an instance with older data', () => {
  const own = process.versions['tz']!;
  const become = async (version: string) => {
    Object.assign(app.nest.get(ZoneData), { version });
    await runJob();
  };
  afterAll(() => become(own));

  it('does not write, is not ready, and logs it', async () => {
    expect((await app.call('GET', '/health/ready')).body.details).toMatchObject({
      zoneData: { version: own, inUse: own },
    });
    await become('2001b');
    const write = await call('POST', CAREGIVER, {
      clientId: clinic.clientIds[0],
      title: 'T',
      date: '2027/01/04',
      time: '10:00',
    });
    const explanation = `this instance works with time zone data 2001b, the database with ${own}`;
    expect(write.status).toBe(503);
    expect(write.body).toMatchObject({ type: 'urn:problem:not-ready', detail: expect.stringContaining(explanation) });
    expect(write.headers.get('retry-after')).toBe('5');
    expect((await call('GET', CAREGIVER)).status).toBe(200);
    const ready = await app.call('GET', '/health/ready');
    expect([ready.status, ready.body.detail]).toEqual([503, `Not ready: zoneData (${explanation}).`]);
    expect((await app.call('GET', '/health/live')).status).toBe(200);
    const { text } = await app.call('GET', '/metrics');
    expect(text).toContain('scheduling_zone_data_info{version="2001b"} 1');
    expect(text).toMatch(/^scheduling_zone_data_outdated 1$/m);
    expect(await uses()).toHaveLength(3);
  });

  it('writes again once its data is the version in use', async () => {
    await become(own);
    expect((await app.call('GET', '/health/ready')).status).toBe(200);
    expect((await app.call('GET', '/metrics')).text).toMatch(/^scheduling_zone_data_outdated 0$/m);
    expect(await create('2027/01/04', '10:00')).toBeGreaterThan(0);
  });
});

it('a Session and a reminder whose new times would be after the year 9999 keep their times', async () => {
  const session = await create('9999/12/31', '18:00');
  const weeks = [{ assignments: [buildAssignment(clinic.ownBookId, [1, '18:30'])] }];
  const plan = await createPlan(app, clinic, { weeks });
  const body = { clientId: clinic.clientIds[1], date: '9999/12/31', time: '06:00' };
  const applied = await call('POST', `/gateway/profile/caregiver/design-plan/${plan}/apply`, body);
  const withReminder = applied.body.sessions[0].id as number;
  // The local times that would be these instants if the zone had another offset.
  await app.queryRows(sql`update session set planned_time = '19:30' where id = ${session}`);
  await app.queryRows(
    sql`update reminder set rule = jsonb_set(rule::jsonb, '{time}', '"19:30"') where session_id = ${withReminder}`,
  );
  await app.queryRows(sql`
    update zone_data set finished_at = null, next_session_id = ${session - 1} where id = (select max(id) from zone_data)`);
  const before = await stored();
  const zones = await app.nest.get(ZoneDataRecomputation).preview(() => undefined);
  await runJob();
  expect([zones, await stored()]).toEqual([[], before]);
  expect((await uses()).at(-1)!.finishedAt).not.toBeNull();
});

it('a homework reminder in a time zone that the data lacks keeps its time, and its Session is recomputed', async () => {
  const weeks = [{ assignments: [buildAssignment(clinic.ownBookId, [1, '18:30'])] }];
  const plan = await createPlan(app, clinic, { weeks });
  const body = { clientId: clinic.clientIds[1], date: '2027/01/18', time: '10:00' };
  const applied = await call('POST', `/gateway/profile/caregiver/design-plan/${plan}/apply`, body);
  const { id, startsAt } = applied.body.sessions[0] as { id: number; startsAt: string };
  const findReminders = () => app.asSuperuser((em) => em.find(Reminder, { sessionId: id }));
  await app.queryRows(
    sql`update reminder set rule = jsonb_set(rule::jsonb, '{timeZone}', '"Mars/Olympus_Mons"') where session_id = ${id}`,
  );
  await app.queryRows(
    sql`update session set starts_at = (starts_at at time zone 'UTC' + interval '1 hour') at time zone 'UTC' where id = ${id}`,
  );
  await app.queryRows(sql`
    update zone_data set finished_at = null, next_session_id = ${id - 1} where id = (select max(id) from zone_data)`);
  const before = await findReminders();
  const zones = await app.nest.get(ZoneDataRecomputation).preview(() => undefined);
  await runJob();
  const session = await app.asSuperuser((em) => em.findOneOrFail(Session, { id }));
  expect([zones, session.startsAt]).toEqual([
    [{ timeZone: ZONE, sessions: 1, reminders: 0 }],
    Temporal.Instant.from(startsAt),
  ]);
  expect(before).toHaveLength(1);
  expect(await findReminders()).toEqual(before);
  expect((await uses()).at(-1)!.finishedAt).not.toBeNull();
});

it('the send time of a reminder in quiet hours is computed again, in the zone of the recipient', async () => {
  const london = await app.createClinic('Europe/London');
  const [clientId] = london.clientIds;
  const token = await app.createToken('CLIENT', clientId);
  const quietHours = { from: '21:00', to: '08:00' };
  const as = (asToken: string, method: string, path: string, body: object) =>
    app.call(method, path, { token: asToken, body });
  const answers = [
    await as(london.clinicToken, 'PATCH', `/gateway/profile/clinic/client/${clientId}`, { timeZone: ZONE }),
    await as(token, 'PUT', '/gateway/profile/client/reminder-preference', { quietHours }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  const body = { clientId, title: 'T', date: '2027/01/11', time: '14:00', reminders: ['-PT2H'] };
  readCreatedId(await as(london.careProviderToken, 'POST', CAREGIVER, body));
  const find = async () => {
    const where = { clinicId: london.clinicId, recipientKind: 'CLIENT' } as const;
    const [reminder] = await app.asSuperuser((em) => em.find(Reminder, where));
    return [reminder!.dueAt.toString(), reminder!.sendAt.toString()];
  };
  // 12:00 in London is 07:00 in New York, where the quiet hours end at 13:00 in UTC.
  const times = ['2027-01-11T12:00:00Z', '2027-01-11T13:00:00Z'];
  expect(await find()).toEqual(times);
  await app.queryRows(sql`
    update reminder set send_at = '2027-01-11T13:30:00Z'
    where clinic_id = ${london.clinicId} and recipient_kind = 'CLIENT'`);
  await app.queryRows(sql`update zone_data set finished_at = null where id = (select max(id) from zone_data)`);
  await runJob();
  await app.nest.get(Scheduler).run('reminder-replanning');
  expect(await find()).toEqual(times);
});

it('examines a limited number of Sessions in a transaction, so that many past ones do not exceed its time limit', async () => {
  const first = ids['over']!;
  await app.queryRows(sql`
    insert into session (clinic_id, series_id, position, caregiver_id, client_id, title, planned_date, planned_time, time_zone,
      duration_minutes, starts_at, ends_at, status, version, created_at, updated_at)
    select clinic_id, series_id, position + n, caregiver_id, client_id, title, planned_date, planned_time, time_zone,
      duration_minutes, starts_at, ends_at, status, version, created_at, updated_at
    from session, generate_series(1, 12000) n where clinic_id = ${clinic.clinicId} and id = ${first}`);
  const upcoming = await create('2027/02/01', '10:00');
  const times = app.nest.get(SessionTimeRecomputation);
  const { em } = app.nest.get(MikroORM);
  const lastIds: number[] = [];
  for (let [lastId, isLast] = [first, false]; !isLast;) {
    const find = () => times.findChanges(lastId, 500, app.clock.now());
    ({ lastId, isLast } = await forkForActor(em, { role: 'SYSTEM' }).transactional(find));
    lastIds.push(lastId);
  }
  expect(lastIds.length).toBeGreaterThan(2);
  expect(lastIds.at(-1)).toBeGreaterThanOrEqual(upcoming);
});
