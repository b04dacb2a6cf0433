import { LockMode } from '@mikro-orm/core';
import { sql } from 'kysely';
import { Reminder } from '../../src/reminder/index.js';
import { ReminderReplanning } from '../../src/reminder/planning/reminder-replanning.js';
import { Scheduler } from '../../src/scheduler/index.js';
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
  const body = { clientId: clinic.clientIds[0], title: 'T', date: '2027/03/01', time: '09:30' };
  const created = await app.call('POST', '/gateway/profile/caregiver/session', {
    token: clinic.careProviderToken,
    body: { ...body, reminders: ['-PT1H', '-P1D', '-P2D'] },
  });
  expect(created.status).toBe(201);
});

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
  let working: Promise<T> | undefined;
  await app.asSuperuser(async (em) => {
    const [first, ...others] = await em.find(Reminder, where, { orderBy: { id: 'asc' }, fields: ['id'] });
    const lock = (ids: number[], lockMode: LockMode.PESSIMISTIC_WRITE | LockMode.PESSIMISTIC_WRITE_OR_FAIL) =>
      em.find(Reminder, { id: { $in: ids } }, { lockMode });
    await lock([first!.id], LockMode.PESSIMISTIC_WRITE);
    working = work();
    await waitFor(() => isWaiting());
    const locked = await lock(
      others.map(({ id }) => id),
      LockMode.PESSIMISTIC_WRITE_OR_FAIL,
    );
    expect(locked).toHaveLength(2);
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
