import { Client } from '../../src/directory/index.js';
import { TestApp } from '../support/app/test-app.js';
import { interceptStatements } from '../support/database/statement-interceptor.js';

/* Tests that a request which only reads sees one state of the database, whatever others commit in the meantime. */

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());

it('counts the Clients that it could list, and not one that was added in between', async () => {
  const { clinicId, clinicToken: token } = await app.createClinic();
  let isAdded = false;
  const untap = await interceptStatements(app, {
    before: async (text) => {
      if (isAdded || !text.includes('count(')) return;
      isAdded = true;
      await app.asSuperuser((em) => em.persist(new Client(clinicId, { name: 'Four' }, app.clock.now())).flush());
    },
  });
  const list = () => app.call('GET', '/gateway/profile/clinic/client?count=exact', { token });
  const { body } = await list().finally(untap);
  expect([isAdded, body.items.length, body.count]).toEqual([true, 3, { value: 3, isExact: true }]);
  expect((await list()).body.count).toEqual({ value: 4, isExact: true });
});
