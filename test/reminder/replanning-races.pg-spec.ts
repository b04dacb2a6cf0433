import { sql } from 'kysely';
import { ReminderReplanning } from '../../src/reminder/planning/reminder-replanning.js';
import { TestApp } from '../support/app/test-app.js';
import { interceptStatements } from '../support/database/statement-interceptor.js';

/* A Clinic changes its quiet hours while a Session is being booked with the former ones. */

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());

it('replans reminders that were being created when their Clinic changed its quiet hours', async () => {
  app.clock.set('2026-11-21T10:00:00Z');
  const clinic = await app.createClinic();
  const book = async (date: string) => {
    const body = { clientId: clinic.clientIds[0], title: 'T', date, time: '07:00', reminders: ['-PT8H'] };
    const answer = await app.call('POST', '/gateway/profile/caregiver/session', {
      token: clinic.careProviderToken,
      body,
    });
    expect(answer.status).toBe(201);
  };
  const replan = () => app.nest.get(ReminderReplanning).processRequests();
  const findSendTimes = async () => {
    const rows = await app.queryRows(sql<{ time: string }>`
      select to_char(send_at at time zone 'UTC', 'MM-DD HH24:MI') as time from reminder
      where clinic_id = ${clinic.clinicId} order by id`);
    return rows.map(({ time }) => time);
  };
  const countRequests = async () =>
    (await app.queryRows(sql`select from reminder_replanning where clinic_id = ${clinic.clinicId}`)).length;

  let isChanged = false;
  const untap = await interceptStatements(app, {
    before: async (statement) => {
      if (isChanged || !/insert into "?reminder"?\s/.test(statement)) return;
      isChanged = true;
      const quietHours = { from: '21:00', to: '08:00' };
      const path = '/gateway/profile/clinic/reminder-preference';
      expect((await app.call('PUT', path, { token: clinic.clinicToken, body: { quietHours } })).status).toBe(200);
      await replan();
    },
  });
  await book('2026/12/01');
  untap();
  expect([isChanged, await findSendTimes()]).toEqual([true, ['11-30 23:00', '11-30 23:00']]);

  app.clock.advance({ seconds: 89 });
  await replan();
  expect(await countRequests()).toBe(1);
  app.clock.advance({ seconds: 1 });
  await replan();
  expect(await countRequests()).toBe(0);
  await book('2026/12/08');
  expect(await findSendTimes()).toEqual(['11-30 20:59', '11-30 20:59', '12-07 20:59', '12-07 20:59']);
});
