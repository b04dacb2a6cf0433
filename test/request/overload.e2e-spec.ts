import { connect, type Socket } from 'node:net';
import { waitFor, TestApp, type TestResponse, type ClinicFixture } from '../support/app/test-app.js';

/* Tests overload protection: requests beyond the capacity get a 503 at once, but health probes are answered. */

const PATH = '/gateway/profile/clinic/design-plan';
const MOST = 4;

let app: TestApp;
let clinic: ClinicFixture;
beforeAll(async () => {
  app = await TestApp.start({ maxRequestsAtWork: MOST });
  clinic = await app.createClinic();
});
afterAll(() => app.stop());

const list = () => app.call('GET', PATH, { token: clinic.clinicToken });

function expectRefusal(answer: TestResponse): void {
  expect(answer.status).toBe(503);
  expect(answer.headers.get('retry-after')).toBe('5');
  expect(answer.body).toMatchObject({ type: 'urn:problem:service-unavailable', status: 503 });
}

it('processes up to the maximum number of requests, refuses others immediately, and still answers probes', async () => {
  const refused: TestResponse[] = [];
  let answered: Promise<TestResponse[]>;
  let probe: TestResponse | undefined;
  await app.asSuperuser(async (em) => {
    const connection = em.getConnection();
    await connection.execute('lock table design_plan', [], 'run', em.getTransactionContext());
    const calls = Array.from({ length: 60 }, list);
    for (const call of calls) void call.then((answer) => answer.status === 503 && refused.push(answer));
    answered = Promise.all(calls);
    await waitFor(() => refused.length === 60 - MOST);
    probe = await app.call('GET', '/health/live');
  });
  refused.forEach(expectRefusal);
  expect(probe?.status).toBe(200);
  expect((await answered!).filter(({ status }) => status === 200)).toHaveLength(MOST);
  // The full capacity is available again, whatever the outcome of the earlier requests.
  expect((await Promise.all(Array.from({ length: MOST }, list))).map(({ status }) => status)).toEqual(
    Array(MOST).fill(200),
  );
});

it.each([
  ['JSON', PATH, 'application/json'],
  ['NDJSON', '/gateway/profile/clinic/client/import', 'application/x-ndjson'],
])('does not count requests whose body arrives slowly: %s', async (_, path, type) => {
  const slow = await Promise.all(Array.from({ length: 3 * MOST }, () => sendSlowly(path, type)));
  expect((await list()).status).toBe(200);
  for (const socket of slow) socket.destroy();
});

it('does not count requests whose client disconnects', async () => {
  const abandoned = Array.from({ length: 3 * MOST }, () => {
    const controller = new AbortController();
    const headers = { authorization: `bearer ${clinic.clinicToken}` };
    const call = fetch(new URL(PATH, app.url), { headers, signal: controller.signal });
    setTimeout(() => controller.abort(), 5);
    return call.then(
      (answer) => answer.arrayBuffer(),
      () => undefined,
    );
  });
  await Promise.all(abandoned);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect((await Promise.all(Array.from({ length: MOST }, list))).map(({ status }) => status)).toEqual(
    Array(MOST).fill(200),
  );
});

it.each(['/gateway/profile/clinic/session/', '/gateway/profile/clinic/design-plan//revisions', '/docs/nothing.js'])(
  'takes no place for ever for %s, which is looked for twice',
  async (path) => {
    for (let times = 0; times < 3 * MOST; times += 1) expect((await app.call('GET', path)).status).not.toBe(503);
    expect((await list()).status).toBe(200);
  },
);

/** Opens a connection and sends a request with an incomplete body. Resolves when the service waits for the body. */
function sendSlowly(path: string, type: string): Promise<Socket> {
  const head = [
    `POST ${path} HTTP/1.1`,
    'host: x',
    `authorization: bearer ${clinic.clinicToken}`,
    `content-type: ${type}`,
    'content-length: 1000',
    'expect: 100-continue',
  ];
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1', () => {
      socket.write(`${head.join('\r\n')}\r\n\r\n`);
    });
    socket.once('data', () => socket.write('{', () => resolve(socket)));
    socket.on('error', () => undefined);
  });
}
