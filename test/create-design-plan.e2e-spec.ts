import { DesignPlan } from '../src/design-plan/index.js';
import { PUBLIC_URL, World, type ClinicFixture } from './support/world.js';

const PATH = '/gateway/profile/clinic/design-plan';

let world: World;
let clinic: ClinicFixture;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());
beforeEach(async () => {
  clinic = await world.clinic();
});

const create = (body: unknown, headers: Record<string, string> = {}) =>
  world.call('POST', PATH, { token: clinic.clinicToken, body, headers });
const stored = () => world.database((em) => em.find(DesignPlan, { clinicId: clinic.clinicId }));

describe('who may call', () => {
  it('refuses a call without a token', async () => {
    const answer = await world.call('POST', PATH, { body: { planName: 'A' } });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    expect(await stored()).toHaveLength(0);
  });

  it.each(['CARE_PROVIDER', 'CLIENT', 'ADMIN'] as const)('refuses the role %s', async (role) => {
    const answer = await world.call('POST', PATH, { token: await world.token(role, 1), body: { planName: 'A' } });
    expect(answer.status).toBe(403);
  });

  it("refuses another Clinic's id", async () => {
    const other = await world.clinic();
    expect((await create({ planName: 'A', clinicId: other.clinicId })).status).toBe(403);
    expect(await stored()).toHaveLength(0);
  });
});

describe('the answer', () => {
  it('is 201 with the location and an empty body, and the location can be fetched', async () => {
    const answer = await create({ planName: 'A plan' });
    expect(answer.status).toBe(201);
    expect(answer.text).toBe('');
    expect(answer.headers.get('content-length')).toBe('0');
    const location = answer.headers.get('location')!;
    expect(location).toMatch(/^\/design-plan\/\d+$/);
    const [short, long] = await Promise.all(
      [location, PATH + location.replace('/design-plan', '')].map((path) =>
        world.call('GET', path, { token: clinic.clinicToken }),
      ),
    );
    expect(short!.status).toBe(200);
    expect(short!.body).toEqual(long!.body);
    expect(short!.body).toMatchObject({ planName: 'A plan', clinicId: clinic.clinicId, caregiverId: null, weeks: [] });
  });

  it('carries every header of the specification', async () => {
    const answer = await create({ planName: 'A plan' });
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'cache-control': 'max-age=1, no-cache',
      pragma: 'no-cache',
      expires: '0',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'x-xss-protection': '1; mode=block',
      'access-control-allow-credentials': 'true',
      'access-control-allow-origin': PUBLIC_URL,
    });
  });
});
