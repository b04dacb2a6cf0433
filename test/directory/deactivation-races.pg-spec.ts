import { Session } from '../../src/session/index.js';
import { TestApp } from '../support/app/test-app.js';

/* Tests Sessions that are created or restored while their Client is being deactivated. */

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
