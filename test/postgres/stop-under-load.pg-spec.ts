import { request, type ClientRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import pg from 'pg';
import { signToken } from '../../src/auth/index.js';
import { LoadBalancer } from '../support/process/load-balancer.js';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';
import { ServiceFleet } from '../support/process/service-fleet.js';
import { repetitionCount } from '../support/app/repetitions.js';
import { TcpProxy } from '../support/database/tcp-proxy.js';
import { testEnvironment, waitFor } from '../support/app/test-app.js';
import { insertParticipants, RetryingWriter } from '../support/process/retrying-writer.js';

/*
 * Stops instances under load, behind a load balancer that sends requests only to ready instances. Each test starts
 * with the instances that the previous test left running. STOPS=20 runs the test at full size.
 */

const STOPS = repetitionCount('STOPS', 2, 20);
const WRITERS = 6;
const EXIT_MS = 10_000;
const PLAN = '/gateway/profile/clinic/design-plan';

let database: TestDatabase;
let url: URL;
let fleet: ServiceFleet;
let token: string;
beforeAll(async () => {
  database = await createTestDatabase('postgresql');
  const { environment } = database;
  if (environment.kind !== 'postgresql') throw new Error('needs a server');
  url = new URL(environment.url);
  fleet = new ServiceFleet({ DATABASE_URL: url.href });
  const owner = new pg.Client({ connectionString: environment.migrationUrl });
  await owner.connect();
  await insertParticipants(owner, WRITERS);
  await owner.end();
  token = await signToken(testEnvironment.token, { role: 'CLINIC', id: 1 });
});
afterAll(async () => {
  await fleet.stop();
  await database.drop();
});

it(`answers every request while ${STOPS} instances are stopped`, async () => {
  await Promise.all([fleet.add(), fleet.add()]);
  const balancer = new LoadBalancer(fleet);
  const writers = Array.from(
    { length: WRITERS },
    (_, index) => new RetryingWriter(index + 1, () => balancer.nextUrl()),
  );
  const work = Promise.all(writers.map((writer) => writer.run()));
  const exits: number[] = [];
  const slow: Promise<number>[] = [];
  for (let stops = 0; stops < STOPS; stops += 1) {
    const sent = writers[0]!.requestCount;
    await waitFor(() => writers[0]!.requestCount > sent + 5);
    const [victim] = fleet.instances;
    // Half of this request is sent before the signal, and the rest when the instance no longer accepts connections.
    const { rest, answer } = await halfOf(victim!.url);
    slow.push(answer);
    const began = performance.now();
    const exit = victim!.terminate('SIGTERM');
    setTimeout(rest, 3_000);
    expect(await exit).toBe(0);
    exits.push(performance.now() - began);
    fleet.instances.shift();
    await fleet.add();
  }
  for (const writer of writers) writer.finish();
  await work;
  balancer.stop();

  const sent = writers.reduce((sum, writer) => sum + writer.requestCount, 0);
  const dropped = writers.reduce((sum, writer) => sum + writer.retryCount, 0);
  process.stdout.write(
    `${STOPS} stops, ${sent} requests and ${slow.length} slow ones, ${dropped} not answered, ` +
      `exit after ${(Math.min(...exits) / 1000).toFixed(1)} to ${(Math.max(...exits) / 1000).toFixed(1)} s\n`,
  );
  expect([dropped, writers.flatMap(({ unexpectedResponses }) => unexpectedResponses)]).toEqual([0, []]);
  expect(await Promise.all(slow)).toEqual(Array(STOPS).fill(201));
  expect(Math.max(...exits)).toBeLessThan(EXIT_MS);
}, 1_200_000);

it('is not ready before it stops, and ignores a second signal', async () => {
  const instance = fleet.instances.shift() ?? (await fleet.add());
  const get = (path: string) => fetch(`${instance.url}${path}`, { headers: { authorization: `bearer ${token}` } });
  expect((await get(PLAN)).headers.get('connection')).toBe('keep-alive');
  const exit = instance.terminate('SIGTERM');
  await waitFor(async () => (await get('/health/ready')).status === 503, 1_500);
  const ready = await get('/health/ready');
  expect([ready.headers.get('retry-after'), ready.headers.get('connection')]).toEqual(['5', 'close']);
  void instance.terminate('SIGTERM');
  const answer = await get(PLAN);
  expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
  expect((await get('/health/live')).status).toBe(200);
  expect(await exit).toBe(0);
});

it('exits at once on Ctrl-C, and within 10 s despite open connections and a database that does not answer', async () => {
  const wire = await TcpProxy.start(url);
  const idle = fleet.instances.shift() ?? (await fleet.add());
  const [held, lost] = await Promise.all([fleet.add(), fleet.add({ DATABASE_URL: wire.toProxyUrl(url) })]);
  // Opens a connection without a request and one with an incomplete request, while the database does not answer.
  await connected(held.port);
  await halfOf(held.url);
  wire.dropPackets();
  const call = fetch(`${lost.url}${PLAN}`, { headers: { authorization: `bearer ${token}` } });

  const [atOnce, ...others] = await Promise.all([
    timed(idle.terminate('SIGINT')),
    timed(held.terminate('SIGTERM')),
    timed(lost.terminate('SIGTERM')),
    call.then(({ status }) => expect(status).toBe(503)),
  ]);
  await wire.stop();
  expect(atOnce).toEqual([0, expect.any(Number)]);
  // Unlike SIGTERM, Ctrl-C causes no grace period.
  expect(atOnce[1]).toBeLessThan(2_000);
  for (const exit of others.slice(0, 2)) expect(exit![1]).toBeLessThan(EXIT_MS);
});

/** Returns the result of work and its duration in milliseconds. */
async function timed<T>(work: Promise<T>): Promise<[T, number]> {
  const began = performance.now();
  return [await work, performance.now() - began];
}

/** Sends a request with an incomplete body. Returns a function that sends the rest, and the status of the response. */
async function halfOf(at: string): Promise<{ rest: () => void; answer: Promise<number> }> {
  const body = JSON.stringify({ planName: 'Slow' });
  const headers = {
    ...{ authorization: `bearer ${token}`, 'content-type': 'application/json' },
    'content-length': String(Buffer.byteLength(body)),
  };
  const outgoing: ClientRequest = request(`${at}${PLAN}`, { method: 'POST', headers, agent: false });
  const answer = new Promise<number>((resolve) => {
    outgoing.on('response', (incoming) => resolve(incoming.resume().statusCode ?? 0)).on('error', () => resolve(0));
  });
  await new Promise<void>((resolve) => void outgoing.write(body.slice(0, 5), () => resolve()));
  return { rest: () => outgoing.end(body.slice(5)), answer };
}

function connected(port: number): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket)).on('error', () => undefined);
  });
}
