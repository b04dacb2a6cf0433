import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { IdempotencyCleaner } from '../../src/request/index.js';
import { Session } from '../../src/session/index.js';
import { repetitionCount } from '../support/app/repetitions.js';
import { interceptStatements } from '../support/database/statement-interceptor.js';
import { TestApp, type TestResponse, type ClinicFixture } from '../support/app/test-app.js';

/* Tests concurrent requests with the same idempotency key, of one caller and of several callers. */

const CREATE = '/gateway/profile/caregiver/session';
/** Number of races; RACES=200 runs the full size. */
const RACES = repetitionCount('RACES', 60, 200);
const PARALLEL = 20;

let app: TestApp;
let clinic: ClinicFixture;
beforeAll(async () => {
  app = await TestApp.start();
  clinic = await app.createClinic();
});
afterAll(() => app.stop());

const create = (key: string, token = clinic.careProviderToken): Promise<TestResponse> =>
  app.call('POST', CREATE, {
    token,
    headers: { 'idempotency-key': key },
    body: { clientId: clinic.clientIds[0], title: 'T', date: '2027/03/22', time: '09:30', remindDays: 1 },
  });
const isReplay = ({ headers }: TestResponse) => headers.has('idempotent-replayed');
const sent = ({ status, headers, text }: TestResponse) => [
  status,
  headers.get('location'),
  headers.get('content-type'),
  text,
];
const sessions = () => app.asSuperuser((em) => em.count(Session, { clinicId: clinic.clinicId }));

it(`creates once in each of ${RACES} races of ${PARALLEL} with one key`, async () => {
  let [inFlight, replays] = [0, 0];
  for (let race = 0; race < RACES; race += 1) {
    const key = randomUUID();
    const before = await sessions();
    const answers = await Promise.all(Array.from({ length: PARALLEL }, () => create(key)));
    const done = answers.filter(({ status }) => status === 201);
    const refused = answers.filter(({ status }) => status !== 201);
    const first = done.filter((answer) => !isReplay(answer));
    expect([race, first.length, (await sessions()) - before]).toEqual([race, 1, 1]);
    for (const answer of done) expect(sent(answer)).toEqual(sent(first[0]!));
    for (const { status, body } of refused) expect([status, body.type]).toEqual([409, 'urn:problem:request-in-flight']);
    inFlight += refused.length;
    replays += done.length - 1;
    // A refused caller retries and gets the stored response.
    expect(sent(await create(key))).toEqual(sent(first[0]!));
  }
  process.stdout.write(`${RACES} races: ${RACES} creations, ${inFlight} × 409, ${replays} replays at once\n`);
  expect(inFlight).toBeGreaterThan(0);
});

it('callers with the same key do not affect each other', async () => {
  const key = randomUUID();
  const subjects = await Promise.all(
    Array.from({ length: PARALLEL }, async () => {
      const other = await app.createClinic();
      return { other, token: other.careProviderToken };
    }),
  );
  const answers = await Promise.all(
    subjects.map(({ other, token }) =>
      app.call('POST', CREATE, {
        token,
        headers: { 'idempotency-key': key },
        body: { clientId: other.clientIds[0], title: 'T', date: '2027/03/22', time: '09:30' },
      }),
    ),
  );
  expect(answers.map((answer) => [answer.status, isReplay(answer)])).toEqual(answers.map(() => [201, false]));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(PARALLEL);
});

it('answers 409 immediately while the first request is in progress, and with its response afterwards', async () => {
  const key = randomUUID();
  let isKeeping!: () => void;
  let letGo!: () => void;
  const keeping = new Promise<void>((resolve) => (isKeeping = resolve));
  const released = new Promise<void>((resolve) => (letGo = resolve));
  const untap = await interceptStatements(app, {
    before: async (statement) => {
      if (!/^insert into "?idempotency_key/i.test(statement)) return;
      isKeeping();
      await released;
    },
  });
  const first = create(key);
  await keeping;
  // The first request goes on only afterwards.
  const second = await create(key);
  letGo();
  untap();
  expect([second.status, second.body.type]).toEqual([409, 'urn:problem:request-in-flight']);
  const done = await first;
  const again = await create(key);
  expect([done.status, isReplay(done), isReplay(again)]).toEqual([201, false, true]);
  expect(sent(again)).toEqual(sent(done));
});

it('loses no request if expired keys are reused while they are deleted', async () => {
  const keys = Array.from({ length: 100 }, () => randomUUID());
  const createAll = () => Promise.all(keys.map((key) => create(key)));
  const first = await createAll();
  await app.queryRows(sql`update idempotency_key set expires_at = '2020-01-01'`);
  const cleaner = app.nest.get(IdempotencyCleaner);
  const [again] = await Promise.all([createAll(), cleaner.deleteExpired(), cleaner.deleteExpired()]);
  expect(again.map((answer) => [answer.status, isReplay(answer)])).toEqual(again.map(() => [201, false]));
  expect(new Set([...first, ...again].map(({ text }) => text)).size).toBe(200);
  expect((await createAll()).map(sent)).toEqual(again.map(sent));
});
