import { Ajv, type ValidateFunction } from 'ajv';
import fc from 'fast-check';
import { World, type ClinicFixture } from './support/world.js';

/* Random bodies against the running service: never a 5xx, and every answer is one that the OpenAPI document promises. */

const RUNS = 3_000;
const PLAN = '/gateway/profile/clinic/design-plan';
const SESSION = '/gateway/profile/caregiver/session';

let world: World;
let clinic: ClinicFixture;
let isProblem: ValidateFunction;
let statusesOf: (path: string) => string[];
beforeAll(async () => {
  world = await World.start();
  clinic = await world.clinic();
  const { body: document } = await world.call('GET', '/openapi.json');
  isProblem = new Ajv({ strict: false, validateFormats: false }).compile({
    ...document.components.schemas.Problem,
    components: document.components,
  });
  statusesOf = (path) => Object.keys(document.paths[path].post.responses);
});
afterAll(() => world.stop());

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', ' ', '\0', '\ud800', '2027/03/01', '09:30', '2023/02/29', '21/8/23 9:30 AM', '-P1D', '😀', "'--"),
);
const number = fc.oneof(
  fc.integer({ min: -2, max: 12 }),
  fc.double(),
  fc.constantFrom(0, 1, 100, 2 ** 31, 2 ** 53 - 1, 2 ** 53, -(2 ** 53), 1e308),
);
const anything = fc.oneof(
  text,
  number,
  fc.boolean(),
  fc.constant(null),
  fc.jsonValue({ maxDepth: 3 }),
  fc.array(number, { maxLength: 4 }),
);
/** Mostly what is asked for, sometimes anything, sometimes left out. */
const nearly = (right: fc.Arbitrary<unknown>) =>
  fc.oneof(
    { weight: 16, arbitrary: right },
    { weight: 1, arbitrary: anything },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
const list = (item: fc.Arbitrary<unknown>) => nearly(fc.array(nearly(item), { maxLength: 3 }));

const words = fc.oneof({ weight: 3, arbitrary: fc.constantFrom('Sleep', 'Über 😀', ' x ') }, text);
const id = fc.integer({ min: 0, max: 4 });
const weekOf = (bookId: fc.Arbitrary<unknown>) =>
  fc.record({
    name: nearly(text),
    ordering: nearly(fc.nat(6)),
    assignments: list(
      fc.record({
        bookId: nearly(bookId),
        assignReminds: list(
          fc.record({ reminderDay: nearly(fc.nat(8)), time: nearly(fc.constantFrom('00:00', '23:59', '24:00')) }),
        ),
      }),
    ),
  });
const plan = (own: ClinicFixture) =>
  fc.record({
    planName: nearly(words),
    name: fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, text),
    createdDate: nearly(fc.oneof(fc.constantFrom('2023/08/21 09:30', '21/8/23 9:30 AM', '2023-08-21T09:30Z'), text)),
    appointmentTitle: nearly(text),
    appointmentDesc: nearly(text),
    caregiverId: nearly(fc.constantFrom(0, own.careProviderIds[0])),
    clinicId: nearly(fc.constantFrom(0, own.clinicId)),
    template: nearly(fc.boolean()),
    weeks: list(weekOf(fc.constantFrom(own.ownBookId, own.sharedBookId))),
  });
const sessions = (own: ClinicFixture) =>
  fc.record({
    clientId: nearly(fc.constantFrom(...own.clientIds)),
    title: nearly(text),
    description: nearly(text),
    date: nearly(fc.constantFrom('2027/03/28', '2028/02/29', '0001/01/01', '9999/12/31')),
    time: nearly(fc.constantFrom('01:30', '23:59')),
    caregiverId: nearly(fc.constantFrom(0, ...own.careProviderIds)),
    clinicId: nearly(fc.constantFrom(0, own.clinicId)),
    designPlanId: nearly(id),
    sessionCount: nearly(fc.nat(3)),
    intervalDays: nearly(fc.integer({ min: 1, max: 365 })),
    bookIdList: list(fc.constantFrom(own.ownBookId, own.sharedBookId)),
    remindDays: nearly(fc.nat(3650)),
    reminders: list(fc.constantFrom('-P1D', '-PT2H', 'P1M')),
    id: anything,
  });

async function fuzz(path: string, token: string, body: fc.Arbitrary<unknown>): Promise<Map<number, number>> {
  const seen = new Map<number, number>();
  const promised = statusesOf(path);
  await fc.assert(
    fc.asyncProperty(fc.oneof({ weight: 5, arbitrary: body }, { weight: 1, arbitrary: anything }), async (sent) => {
      const answer = await world.call('POST', path, { token, raw: JSON.stringify(sent) });
      seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
      expect(answer.status).toBeLessThan(500);
      expect(promised).toContain(String(answer.status));
      if (answer.status < 400) return;
      expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
      expect([isProblem(answer.body), isProblem.errors]).toEqual([true, null]);
    }),
    { numRuns: RUNS },
  );
  return seen;
}

it(`answers ${RUNS} random bodies of a Design Plan as promised`, async () => {
  const seen = await fuzz(PLAN, clinic.clinicToken, plan(clinic));
  // The generator must reach the inside, not only the door.
  for (const status of [201, 400]) expect(seen.get(status)).toBeGreaterThan(RUNS / 50);
}, 180_000);

it(`answers ${RUNS} random bodies of Sessions as promised`, async () => {
  const seen = await fuzz(SESSION, clinic.careProviderToken, sessions(clinic));
  for (const status of [201, 400, 422]) expect(seen.get(status)).toBeGreaterThan(RUNS / 100);
}, 180_000);
