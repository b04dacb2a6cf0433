import { sql } from 'kysely';
import { Homework, Session } from '../../src/session/index.js';
import { TestApp, waitFor } from '../support/app/test-app.js';

/* Tests Sessions and homework that are changed while their Client is being deactivated. */

const RACES = 40;

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());

it(`leaves no upcoming Session with a deactivated Client, in ${RACES} races`, async () => {
  for (let race = 0; race < RACES; race += 1) {
    const clinic = await app.createClinic();
    const clientId = clinic.clientIds[0];
    const create = (conflicts: string, hour: number) =>
      app.call('POST', `/gateway/profile/caregiver/session?conflicts=${conflicts}`, {
        token: clinic.careProviderToken,
        body: { clientId, title: 'T', date: '2027/03/01', time: `${hour}:00` },
      });
    const answers = await Promise.all([
      create('report', 10),
      create('reject', 11),
      app.call('DELETE', `/gateway/profile/clinic/client/${clientId}`, { token: clinic.clinicToken }),
      create('report', 12),
      create('reject', 13),
    ]);
    const statuses = answers.map(({ status }) => status);
    expect(statuses.every((status) => [201, 204, 422].includes(status))).toBe(true);
    const ahead = await app.asSuperuser((em) => em.count(Session, { clientId, status: 'SCHEDULED' }));
    expect([statuses, ahead]).toEqual([statuses, 0]);
  }
});

it(`restores no Session with a deactivated Client, in ${RACES} races`, async () => {
  for (let race = 0; race < RACES; race += 1) {
    const clinic = await app.createClinic();
    const clientId = clinic.clientIds[0];
    const path = '/gateway/profile/caregiver/session';
    const token = clinic.careProviderToken;
    const body = { clientId, title: 'T', date: '2027/03/01', time: '10:00' };
    const created = await app.call('POST', path, { token, body });
    const { items } = (await app.call('GET', created.headers.get('location')!, { token })).body;
    await app.call('POST', `${path}/${items[0].id}/cancel`, { token, body: { reason: 'OTHER' } });
    const answers = await Promise.all([
      app.call('DELETE', `/gateway/profile/clinic/client/${clientId}`, { token: clinic.clinicToken }),
      app.call('POST', `${path}/${items[0].id}/undo`, { token }),
    ]);
    const statuses = answers.map(({ status }) => status);
    expect([
      [204, 200],
      [204, 409],
    ]).toContainEqual(statuses);
    const ahead = await app.asSuperuser((em) => em.count(Session, { clientId, status: 'SCHEDULED' }));
    expect([statuses, ahead]).toEqual([statuses, 0]);
  }
});

const waitForBlocked = (count: number) =>
  waitFor(async () => {
    const rows = await app.queryRows(sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
    return rows.length === count;
  });

it.each([
  ['PATCH', (id: number) => `client/${id}`, { timeZone: 'Asia/Kolkata', active: false }, '14:30'],
  // A PUT without a time zone clears it, and that of the Clinic applies.
  ['PUT', () => 'client/external/k', { name: 'N', active: false }, '19:00'],
])(
  '%s deactivates a Client and changes the time zone, while homework is completed',
  async (method, toPath, body, due) => {
    const { clinicId, clientIds, clinicToken: token, careProviderToken, ownBookId } = await app.createClinic();
    const [clientId] = clientIds;
    const own = '/gateway/profile/clinic';
    const settings = { externalId: 'k', timeZone: 'Europe/Berlin' };
    await app.call('PATCH', `${own}/client/${clientId}`, { token, body: settings });
    const assignReminds = [2, 5].map((reminderDay) => ({ reminderDay, time: '20:00' }));
    const plan = { planName: 'One week', weeks: [{ assignments: [{ bookId: ownBookId, assignReminds }] }] };
    const created = await app.call('POST', `${own}/design-plan`, { token, body: plan });
    const planId = created.headers.get('location')!.split('/').at(-1)!;
    await app.call('POST', `/gateway/profile/caregiver/design-plan/${planId}/apply`, {
      token: careProviderToken,
      body: { clientId, date: '2027/05/03', time: '09:30' },
    });
    const { id } = await app.asSuperuser((em) => em.findOneOrFail(Homework, { clinicId }));

    const em = await app.forkAsSuperuser();
    await em.begin();
    const row = sql`select from homework where id = ${id} for update`;
    await row.execute((em as unknown as { getKysely: () => never }).getKysely());
    const completing = app.call('POST', `/gateway/profile/client/homework/${id}/complete`, {
      token: await app.createToken('CLIENT', clientId),
    });
    await waitForBlocked(1);
    const deactivating = app.call(method, `${own}/${toPath(clientId)}`, { token, body });
    await waitForBlocked(2);
    await em.commit();
    const answers = await Promise.all([completing, deactivating]);
    expect(answers.map(({ status }) => status)).toEqual([200, method === 'PUT' ? 204 : 200]);
    const reminders = await app.queryRows(sql`
    select status, to_char(due_at at time zone 'UTC', 'HH24:MI') as due from reminder
    where clinic_id = ${clinicId} and homework_id = ${id}`);
    expect(reminders).toEqual(Array(2).fill({ status: 'WITHDRAWN', due }));
  },
);
