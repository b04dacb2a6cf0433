import { MikroORM } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type pg from 'pg';
import { MessagePreparation } from '../../src/reminder/delivery/message-preparation.js';
import { Reminder, ReminderDispatcher } from '../../src/reminder/index.js';
import { forkForActor } from '../../src/shared/persistence/index.js';
import { connectAsOwner } from '../support/database/owner-connection.js';
import { waitFor, TestApp } from '../support/app/test-app.js';

/* Tests the delivery of reminders while the server of the database restarts. */

let app: TestApp;
let server: pg.Client;
beforeAll(async () => {
  app = await TestApp.start();
  app.clock.set('2026-11-21T10:00:00Z');
  server = await connectAsOwner(app.environment.database);
});
afterAll(async () => {
  await server.end();
  await app.stop();
});

/** Executes a statement that ends with the error of a server that stops: 57P01, FATAL. */
async function executeUntilTerminated(): Promise<void> {
  const em = forkForActor(app.nest.get(MikroORM).em, { role: 'REMINDERS' });
  await em.transactional(async (own) => {
    const kysely = (own as SqlEntityManager).getKysely();
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(kysely);
    const executed = sql`select pg_sleep(10)`.execute(kysely);
    await server.query('select pg_terminate_backend($1)', [rows[0]!.pid]);
    await executed;
  });
}

it('messages are prepared again whose connection the server has ended', async () => {
  const { clientIds, careProviderToken: token } = await app.createClinic();
  const body = { clientId: clientIds[0], title: 'T', date: '2027/03/01', time: '09:30', remindDays: 0 };
  expect((await app.call('POST', '/gateway/profile/caregiver/session', { token, body })).status).toBe(201);
  const preparation = app.nest.get(MessagePreparation);
  const prepare = preparation.prepare.bind(preparation);
  let calls = 0;
  preparation.prepare = async (...parameters) => {
    calls += 1;
    if (calls === 1) await executeUntilTerminated();
    return prepare(...parameters);
  };
  await app.nest.get(ReminderDispatcher).dispatchDue();
  await waitFor(() => app.deliveredMessages.length === 2);
  await app.deliverDueReminders();
  const reminders = await app.asSuperuser((em) => em.find(Reminder, {}));
  expect(reminders.map(({ status, history }) => [status, history.map(({ what }) => what)])).toEqual([
    ['SENT', ['QUEUED', 'SENT']],
    ['SENT', ['QUEUED', 'SENT']],
  ]);
});
