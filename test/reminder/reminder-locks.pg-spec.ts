import { LockMode } from '@mikro-orm/core';
import { sql } from 'kysely';
import { Reminder } from '../../src/reminder/index.js';
import { ReminderReplanning } from '../../src/reminder/planning/reminder-replanning.js';
import { Scheduler } from '../../src/scheduler/index.js';
import { buildAssignment, createPlan } from '../support/app/series-fixtures.js';
import { waitFor, TestApp, type ClinicFixture } from '../support/app/test-app.js';

/*
 * Tests that all transactions lock reminders in the order of their ids, otherwise two of them could deadlock, and that
 * they lock a reminder before they decide about it.
 */

const CLINIC = '/gateway/profile/clinic';

let app: TestApp;
let clinic: ClinicFixture;
beforeAll(async () => {
  app = await TestApp.start();
  await app.nest.get(Scheduler).stop('reminder-replanning');
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.clock.set('2026-11-21T10:00:00Z');
  clinic = await app.createClinic();
  // The first reminder of each recipient is due last.
  await createSession(['-PT1H', '-P1D', '-P2D']);
});

async function createSession(reminders: readonly string[]): Promise<void> {
  const body = { clientId: clinic.clientIds[0], title: 'T', date: '2027/03/01', time: '09:30', reminders };
  const created = await app.call('POST', '/gateway/profile/caregiver/session', {
    token: clinic.careProviderToken,
    body,
  });
  expect(created.status).toBe(201);
}

const callClinic = (method: string, path: string, body?: object) =>
  app.call(method, `${CLINIC}/${path}`, { token: clinic.clinicToken, body });
const isWaiting = async (count = 1) =>
  (
    await app.queryRows(
      sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
  ).length === count;

/** Expects that work which waits for the Client's first reminder has locked none of the others. */
async function expectLocksInOrder<T>(work: () => Promise<T>): Promise<T> {
  const where = { clinicId: clinic.clinicId, recipientKind: 'CLIENT' } as const;
  const [first, ...others] = await app.asSuperuser((em) =>
    em.find(Reminder, where, { orderBy: { id: 'asc' }, fields: ['id'] }),
  );
  expect(others).toHaveLength(2);
  const ids = others.map(({ id }) => id);
  return expectLocksAfter(first!.id, ids, work);
}

/** Expects that work which waits for one reminder has locked none of the later ones. */
async function expectLocksAfter<T>(first: number, later: readonly number[], work: () => Promise<T>): Promise<T> {
  let working: Promise<T> | undefined;
  await app.asSuperuser(async (em) => {
    const lock = (ids: readonly number[], lockMode: LockMode.PESSIMISTIC_WRITE | LockMode.PESSIMISTIC_WRITE_OR_FAIL) =>
      em.find(Reminder, { id: { $in: [...ids] } }, { lockMode });
    await lock([first], LockMode.PESSIMISTIC_WRITE);
    working = work();
    await waitFor(() => isWaiting());
    expect(await lock(later, LockMode.PESSIMISTIC_WRITE_OR_FAIL)).toHaveLength(later.length);
  });
  return working!;
}

it('the job that replans the reminders of a Clinic', async () => {
  const quietHours = { from: '05:00', to: '12:00' };
  expect((await callClinic('PUT', 'reminder-preference', { quietHours })).status).toBe(200);
  expect(await expectLocksInOrder(() => app.nest.get(ReminderReplanning).processRequests())).toBe(6);
});

it('the deactivation of a Client', async () => {
  // The update moves the row of the first reminder behind the others.
  await app.queryRows(sql`
    update reminder set send_at = send_at + interval '1 second'
    where id = (select min(id) from reminder where clinic_id = ${clinic.clinicId} and recipient_kind = 'CLIENT')`);
  const path = `client/${clinic.clientIds[0]}`;
  const { status } = await expectLocksInOrder(() => callClinic('PATCH', path, { active: false }));
  expect(status).toBe(200);
});

it('the deactivation of a Client with reminders of past Sessions', async () => {
  // Unsent reminders of a past Session are those of its homework. Here, only the order of their IDs matters.
  await app.queryRows(sql`update session set status = 'COMPLETED' where clinic_id = ${clinic.clinicId}`);
  await createSession(['-PT1H', '-P1D']);
  // One reminder of the past Session is left, and two of the new one.
  await app.queryRows(sql`
    delete from reminder where clinic_id = ${clinic.clinicId} and recipient_kind = 'CLIENT' and id in (
      select id from reminder where clinic_id = ${clinic.clinicId} and recipient_kind = 'CLIENT'
      order by id offset 1 limit 2)`);
  const path = `client/${clinic.clientIds[0]}`;
  const { status } = await expectLocksInOrder(() => callClinic('PATCH', path, { active: false }));
  expect(status).toBe(200);
});

it('the revision of a series', async () => {
  const assignment = (bookId: number) => buildAssignment(bookId, [1, '08:00']);
  const weeks = (bookId: number) =>
    [1, 2].map((ordering) => ({ name: 'W', ordering, assignments: [assignment(bookId)] }));
  const plan = await createPlan(app, clinic, { weeks: weeks(clinic.ownBookId) });
  const path = `design-plan/${plan}`;
  const body = {
    clientId: clinic.clientIds[1],
    caregiverId: clinic.careProviderIds[0],
    date: '2027/03/01',
    time: '09:30',
  };
  const applied = await callClinic('POST', `${path}/apply`, { ...body, reminders: ['-PT1H'] });
  expect(applied.status).toBe(201);
  const { clinicToken: token } = clinic;
  const replacement = { planName: 'Sleep', weeks: weeks(clinic.sharedBookId) };
  const headers = { 'if-match': '"1"' };
  expect((await app.call('PUT', `${CLINIC}/${path}`, { token, body: replacement, headers })).status).toBe(200);
  const revise = () => callClinic('POST', `series/${applied.body.seriesId}/revise`, {});
  // Homework reminders, which the revision changes first, have higher IDs than the reminders of the Sessions.
  const rows = await app.queryRows(sql<{ id: string; recipient_kind: string }>`
    select r.id, r.recipient_kind from reminder r join session s on s.id = r.session_id
    where s.series_id = ${applied.body.seriesId as string} order by r.id`);
  const held = Number(rows.find(({ recipient_kind }) => recipient_kind === 'CARE_PROVIDER')!.id);
  const later = rows.map(({ id }) => Number(id)).filter((id) => id > held);
  expect(await expectLocksAfter(held, later, revise)).toMatchObject({ status: 200 });
});

it('redrives a reminder once, also if several requests redrive it at the same time', async () => {
  const where = { clinicId: clinic.clinicId };
  let redrives: Promise<{ status: number }[]>;
  await app.asSuperuser(async (em) => {
    await em.nativeUpdate(Reminder, where, { status: 'DEAD', reason: 'UNDELIVERABLE' });
    const [reminder] = await em.find(Reminder, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
    redrives = Promise.all(Array.from({ length: 3 }, () => callClinic('POST', `reminder/${reminder!.id}/redrive`)));
    await waitFor(() => isWaiting(3));
  });
  expect((await redrives!).map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
});
