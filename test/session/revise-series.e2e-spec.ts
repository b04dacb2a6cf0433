import { Session } from '../../src/session/index.js';
import { createPlan } from '../support/app/series-fixtures.js';
import { TestApp, type TestResponse, type ClinicFixture } from '../support/app/test-app.js';

/* Tests a week of a plan that one revision removes and a later one adds again. */

const CAREGIVER = '/gateway/profile/caregiver';
const PLANS = '/gateway/profile/clinic/design-plan';

let app: TestApp;
let clinic: ClinicFixture;
let plan: number;
let seriesId: string;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.clock.set('2026-11-21T10:00:00Z');
  clinic = await app.createClinic();
  plan = await createPlan(app, clinic, { weeks: weeks(1, 2) });
  const body = { clientId: clinic.clientIds[0], date: '2027/03/01', time: '09:30' };
  seriesId = (await staff(`design-plan/${plan}/apply`, body)).body.seriesId;
});

const weeks = (...orderings: number[]) => orderings.map((ordering) => ({ ordering, assignments: [] }));
const staff = (path: string, body?: object): Promise<TestResponse> => {
  // Advances the clock, because changes by different requests must have different times.
  app.clock.advance({ minutes: 1 });
  return app.call('POST', `${CAREGIVER}/${path}`, { token: clinic.careProviderToken, body });
};
async function revise(...orderings: number[]): Promise<void> {
  const token = clinic.clinicToken;
  const etag = (await app.call('GET', `${PLANS}/${plan}`, { token })).headers.get('etag')!;
  const body = { planName: 'Sleep', weeks: weeks(...orderings) };
  await app.call('PUT', `${PLANS}/${plan}`, { token, headers: { 'if-match': etag }, body });
  expect((await staff(`series/${seriesId}/revise`, {})).status).toBe(200);
}
const members = () => app.asSuperuser((em) => em.find(Session, { seriesId }, { orderBy: { position: 'asc' } }));
const states = async () => (await members()).map(({ planWeek, status }) => `${planWeek} ${status}`);
const idAt = async (position: number) => (await members())[position - 1]!.id;
const undo = async (position: number, query = '') => staff(`session/${await idAt(position)}/undo${query}`);

it('a removed week: the cancellation of its Session can be undone', async () => {
  await revise(1);
  expect((await undo(2)).status).toBe(200);
  expect(await states()).toEqual(['1 SCHEDULED', '2 SCHEDULED']);
});

it('a week that is added again has a new Session, and the earlier one stays cancelled', async () => {
  await revise(1);
  await revise(1, 2);
  expect(await states()).toEqual(['1 SCHEDULED', '2 CANCELLED', '2 SCHEDULED']);
  for (const query of ['', '?scope=series', '?dryRun=true']) {
    const refused = await undo(2, query);
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('Week 2')]);
  }
  expect(await states()).toEqual(['1 SCHEDULED', '2 CANCELLED', '2 SCHEDULED']);
});

it('only one of several cancelled Sessions of a week can be restored', async () => {
  await revise(1);
  await revise(1, 2);
  expect((await staff(`session/${await idAt(3)}/cancel`, { reason: 'ILLNESS' })).status).toBe(200);
  expect((await undo(2)).status).toBe(200);
  expect((await undo(3)).status).toBe(409);
  expect(await states()).toEqual(['1 SCHEDULED', '2 SCHEDULED', '2 CANCELLED']);
});
