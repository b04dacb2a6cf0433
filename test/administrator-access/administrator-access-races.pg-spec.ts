import { sql } from 'kysely';
import { TestApp, waitFor } from '../support/app/test-app.js';

/* Tests an access to the data of a Clinic that the administrator and the Clinic end at the same time. */

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());

it('is ended once, by the first of the two', async () => {
  const { clinicId, clinicToken } = await app.createClinic();
  const admin = await app.createToken('ADMIN');
  const body = { clinicId, reason: 'Ticket 4711' };
  const opened = await app.call('POST', '/gateway/admin/administrator-access', { token: admin, body });
  expect(opened.status).toBe(201);
  const { id } = opened.body as { id: number };
  const waitForBlocked = (count: number) =>
    waitFor(async () => {
      const rows = await app.queryRows(sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
      return rows.length === count;
    });
  const em = await app.forkAsSuperuser();
  await em.begin();
  const kysely = (em as unknown as { getKysely: () => never }).getKysely();
  await sql`select from administrator_access where id = ${id} for update`.execute(kysely);
  const byAdmin = app.call('DELETE', `/gateway/admin/administrator-access/${id}`, { token: admin });
  await waitForBlocked(1);
  const byClinic = app.call('DELETE', `/gateway/profile/clinic/administrator-access/${id}`, { token: clinicToken });
  await waitForBlocked(2);
  await em.commit();
  const ended = await Promise.all([byAdmin, byClinic]);
  expect(ended.map(({ status, body }) => [status, body.endedBy])).toEqual([
    [200, 'ADMIN'],
    [200, 'ADMIN'],
  ]);
});
