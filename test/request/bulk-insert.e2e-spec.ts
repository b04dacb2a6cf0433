import fc from 'fast-check';
import { Client } from '../../src/directory/index.js';
import { Session, SessionSeries } from '../../src/session/index.js';
import { bulkInsert } from '../../src/shared/persistence/index.js';
import { toComparableFields } from '../support/app/comparable-fields.js';
import { TestApp, type ClinicFixture } from '../support/app/test-app.js';

/* Tests that rows inserted without MikroORM's unit of work are read back unchanged. */

let app: TestApp;
let clinic: ClinicFixture;
beforeAll(async () => {
  app = await TestApp.start();
  clinic = await app.createClinic();
});
afterAll(() => app.stop());

const texts = fc.constantFrom('A', '{"NULL",\\}', 'ünï "quoted"', 'null', ' \n\\');
const orNull = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null });
const clients = fc.array(
  fc.record({ name: texts, email: orNull(texts), timeZone: orNull(fc.constant('Asia/Tokyo')) }),
  {
    minLength: 1,
    maxLength: 6,
  },
);

const EXTREMES = ['0001-01-01T00:00:00Z', '1899-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'].map((text) =>
  Temporal.Instant.from(text),
);
const [FIRST, , LAST] = EXTREMES.map(({ epochMilliseconds }) => epochMilliseconds);
const instants = fc.oneof(
  fc.constantFrom(...EXTREMES),
  fc.integer({ min: FIRST!, max: LAST! }).map((milliseconds) => Temporal.Instant.fromEpochMilliseconds(milliseconds)),
);

const newClient = (data: object) => Object.assign(new Client(clinic.clinicId, { name: 'A' }, app.clock.now()), data);

/** Compares fields by name, because their order differs: `bulkInsert` sets the ID last. */
const fieldsById = (client: Client) => Object.fromEntries(toComparableFields(client) as [string, unknown][]);

function readClients(ids: readonly number[]): Promise<Client[]> {
  return app.asSuperuser((em) => em.find(Client, { id: { $in: [...ids] } }, { orderBy: { id: 'asc' } }));
}

it('sets the id of each row, in the order of the rows', async () => {
  await fc.assert(
    fc.asyncProperty(clients, async (data) => {
      const rows = data.map(newClient);
      await app.asSuperuser((em) => em.transactional(() => bulkInsert(em, Client, rows)));
      const ids = rows.map(({ id }) => id);
      expect(ids).toEqual([...ids].sort((a, b) => a - b));
      expect((await readClients(ids)).map(fieldsById)).toEqual(rows.map(fieldsById));
    }),
    { numRuns: 50 },
  );
});

it('keeps the milliseconds of instants', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(instants, { minLength: 1, maxLength: 20 }), async (createdAts) => {
      const rows = createdAts.map((createdAt) => newClient({ createdAt }));
      await app.asSuperuser((em) => em.transactional(() => bulkInsert(em, Client, rows)));
      const found = await readClients(rows.map(({ id }) => id));
      expect(found.map(({ createdAt }) => createdAt.toString())).toEqual(createdAts.map(String));
    }),
    { numRuns: 50 },
  );
});

it.each([
  ['a row', ['0001-01-01T00:00:00Z']],
  ['rows', ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z']],
])('refuses an instant outside the years 1 to 9999 in %s', async (_, texts) => {
  const stored = texts.map((text) => Temporal.Instant.from(text));
  const insert = (moved: Temporal.Duration) => {
    const rows = stored.map((instant) => newClient({ createdAt: instant.add(moved) }));
    return app.asSuperuser((em) => em.transactional(() => bulkInsert(em, Client, rows)));
  };
  await insert(new Temporal.Duration());
  await expect(insert(Temporal.Duration.from({ milliseconds: -1 }))).rejects.toMatchObject({
    code: expect.stringMatching(/^22/),
  });
});

it('inserts more rows than one statement takes', async () => {
  const rows = Array.from({ length: 2_001 }, (_, index) => newClient({ name: `Client ${index}` }));
  await app.asSuperuser((em) => em.transactional(() => bulkInsert(em, Client, rows)));
  const names = (await readClients(rows.map(({ id }) => id))).map(({ name }) => name);
  expect(names).toEqual(rows.map(({ name }) => name));
});

it('inserts no rows', async () => {
  await app.asSuperuser((em) => em.transactional(() => bulkInsert(em, Client, [])));
});

it('inserts deferred rows by COMMIT', async () => {
  const rows = [newClient({ name: 'Deferred' }), newClient({ name: 'Deferred' })];
  await app.asSuperuser((em) => em.transactional(() => bulkInsert(em, Client, rows, { deferred: true })));
  const { clinicId } = clinic;
  const found = await app.asSuperuser((em) => em.find(Client, { clinicId }));
  expect(found.filter(({ name }) => name === 'Deferred')).toHaveLength(2);
});

it('inserts the rows that others refer to with the same statement', async () => {
  const { careProviderToken: token, clientIds } = clinic;
  const body = { clientId: clientIds[0], title: 'A', date: '2027/01/05', time: '10:00', sessionCount: 3 };
  expect((await app.call('POST', '/gateway/profile/caregiver/session', { token, body })).status).toBe(201);
  await app.asSuperuser(async (em) => {
    const [session] = await em.find(Session, {}, { limit: 1 });
    const series = await em.findOneOrFail(SessionSeries, { id: session!.seriesId });
    const id = '00000000-0000-4000-8000-000000000001';
    const newSeries = Object.assign(Object.create(SessionSeries.prototype) as SessionSeries, { ...series, id });
    const copy = Object.create(Session.prototype) as Session;
    Object.assign(copy, { ...session, id: undefined, seriesId: id });
    await bulkInsert(em, Session, [copy], { referencedRows: [SessionSeries, [newSeries]] });
    expect(copy.id).toBeGreaterThan(session!.id);
  });
});
