import { TestApp, type ClinicFixture } from '../support/app/test-app.js';

/* Tests reading and listing Design Plans as the Clinic and as its Care Providers. */

const PATH = '/gateway/profile/clinic/design-plan';

let app: TestApp;
let clinic: ClinicFixture;
let id: number;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());
beforeEach(async () => {
  clinic = await app.createClinic();
  const created = await app.call('POST', PATH, { token: clinic.clinicToken, body: { planName: 'A plan' } });
  id = Number(created.headers.get('location')!.split('/').at(-1));
});

describe.each(['/design-plan', PATH])('%s/:id', (path) => {
  it('returns the plan to the Clinic that owns it', async () => {
    const answer = await app.call('GET', `${path}/${id}`, { token: clinic.clinicToken });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ id, planName: 'A plan', clinicId: clinic.clinicId });
  });

  it('refuses a call without a token and other roles', async () => {
    expect((await app.call('GET', `${path}/${id}`)).status).toBe(401);
    for (const role of ['CARE_PROVIDER', 'CLIENT', 'ADMIN'] as const) {
      expect((await app.call('GET', `${path}/${id}`, { token: await app.createToken(role, 1) })).status).toBe(403);
    }
  });

  it('responds to another Clinic as if the plan did not exist', async () => {
    const other = await app.createClinic();
    const foreign = await app.call('GET', `${path}/${id}`, { token: other.clinicToken });
    const absent = await app.call('GET', `${path}/999999999`, { token: other.clinicToken });
    expect(foreign.status).toBe(404);
    expect({ ...foreign.body, instance: '' }).toEqual({ ...absent.body, instance: '' });
  });

  it.each(['0', 'x', '1.0', '01', '9007199254740992'])('refuses the id %s', async (text) => {
    const answer = await app.call('GET', `${path}/${text}`, { token: clinic.clinicToken });
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toHaveLength(1);
  });
});
