import { DesignPlan, DesignPlanRevision } from '../../src/design-plan/index.js';
import { repetitionCount } from '../support/app/repetitions.js';
import { TestApp } from '../support/app/test-app.js';

const PATH = '/gateway/profile/clinic/design-plan';
/** Number of races; RACES=200 runs the full size. */
const RACES = repetitionCount('RACES', 60, 200);
const RUNNERS = 10;

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());

it(`has one winner in each of ${RACES} races of ${RUNNERS} parallel PUTs with one ETag`, async () => {
  const { clinicId, clinicToken: token } = await app.createClinic();
  const created = await app.call('POST', PATH, { token, body: { planName: 'Start' } });
  const path = created.headers.get('location')!.replace('/design-plan', PATH);
  for (let race = 1; race <= RACES; race += 1) {
    const headers = { 'if-match': `"${race}"` };
    const answers = await Promise.all(
      Array.from({ length: RUNNERS }, (_, runner) =>
        app.call('PUT', path, { token, headers, body: { planName: `Race ${race} runner ${runner}` } }),
      ),
    );
    const statuses = answers.map((answer) => answer.status).toSorted();
    expect(statuses).toEqual([200, ...Array.from({ length: RUNNERS - 1 }, () => 412)]);
    const winner = answers.find((answer) => answer.status === 200)!;
    expect((await app.call('GET', path, { token })).body.planName).toBe(winner.body.planName);
  }
  const plan = await app.asSuperuser((em) => em.findOneOrFail(DesignPlan, { clinicId }));
  expect(plan).toMatchObject({ revision: RACES + 1, version: RACES + 1 });
  expect(await app.asSuperuser((em) => em.count(DesignPlanRevision, { clinicId }))).toBe(RACES);
});
