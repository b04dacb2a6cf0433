import { readOpenApiDocument } from '../support/contract/read-openapi.js';
import { buildAssignment, createPlan } from '../support/app/series-fixtures.js';
import { TestApp, type ClinicFixture } from '../support/app/test-app.js';

/* Tests that the cursor of a list is refused in another order of the list: it would be answered with a wrong page. */

type Parameter = { name: string; schema?: { enum?: string[] } };

const CLINIC = '/gateway/profile/clinic';
const CLIENT = '/gateway/profile/client';

let app: TestApp;
let clinic: ClinicFixture;
let clientToken: string;
let sortsByPath: Map<string, string[]>;

beforeAll(async () => {
  app = await TestApp.start();
  clinic = await app.createClinic();
  clientToken = await app.createToken('CLIENT', clinic.clientIds[0]);
  const weeks = [{ assignments: [buildAssignment(clinic.ownBookId, [1, '20:00'])] }, {}];
  const plans = [await createPlan(app, clinic, { weeks }), await createPlan(app, clinic, { weeks })];
  for (const [index, id] of plans.entries()) {
    const body = { clientId: clinic.clientIds[0], date: `2027/0${index + 3}/01`, time: '10:00', reminders: ['-P1D'] };
    const path = `/gateway/profile/caregiver/design-plan/${id}/apply`;
    expect((await app.call('POST', path, { token: clinic.careProviderToken, body })).status).toBe(201);
  }
  const { paths } = await readOpenApiDocument(app);
  sortsByPath = new Map(
    Object.entries(paths).flatMap(([path, { get }]) => {
      const { parameters = [] } = (get ?? {}) as { parameters?: Parameter[] };
      return parameters.flatMap(({ name, schema }) => (name === 'sort' ? [[path, schema!.enum!] as const] : []));
    }),
  );
});
afterAll(() => app.stop());

it.each([
  `${CLINIC}/session`,
  `${CLINIC}/series`,
  `${CLINIC}/reminder`,
  `${CLINIC}/client`,
  `${CLINIC}/care-provider`,
  `${CLINIC}/design-plan`,
  `${CLIENT}/session`,
  `${CLIENT}/homework`,
])('GET %s', async (path) => {
  const token = path.startsWith(`${CLIENT}/`) ? clientToken : clinic.clinicToken;
  const read = (query: string) => app.call('GET', `${path}?limit=1&${query}`, { token });
  const sorts = sortsByPath.get(path)!;
  expect(sorts.length).toBeGreaterThan(1);
  for (const sort of sorts) {
    const { nextCursor, items } = (await read(`sort=${sort}`)).body;
    for (const other of sorts) {
      const { status, body } = await read(`sort=${other}&cursor=${nextCursor}`);
      const pointers = body.errors?.map(({ pointer }: { pointer: string }) => pointer);
      const expected = other === sort ? [200, undefined] : [400, ['/cursor']];
      expect([sort, other, status, pointers]).toEqual([sort, other, ...expected]);
      if (other === sort) expect(body.items).not.toEqual(items);
    }
  }
});
