import pg from 'pg';
import { signToken } from '../../src/auth/index.js';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';
import { ServiceFleet } from '../support/process/service-fleet.js';
import { createMigratedDatabase, startPostgresqlServer } from '../support/database/postgresql.setup.js';
import { TcpProxy } from '../support/database/tcp-proxy.js';
import { testEnvironment, waitFor } from '../support/app/test-app.js';
import { insertParticipants } from '../support/process/retrying-writer.js';

/*
 * Tests half-open connections and a restart of the database. Requests must get a 503 within bounded time, and the
 * service must be ready 5 s after the database is back.
 */

const PLAN = '/gateway/profile/clinic/design-plan';
/**
 * Maximum time until a response: the silence before a probe, the probe itself, and the time that queued requests wait.
 */
const ANSWER_MS = 12_000;
const READY_MS = 5_000;
/** Number of callers: twice the number of the service's connections. */
const CALLERS = 20;

let database: TestDatabase | undefined;
let fleet: ServiceFleet;
let token: string;
beforeAll(async () => {
  token = await signToken(testEnvironment.token, { role: 'CLINIC', id: 1 });
});
afterEach(async () => {
  await fleet.stop();
  await database?.drop();
  database = undefined;
});

async function serve(migrationUrl: string, through: (url: URL) => string): Promise<string> {
  const owner = new pg.Client({ connectionString: migrationUrl });
  await owner.connect();
  await insertParticipants(owner, 1);
  await owner.end();
  const url = Object.assign(new URL(migrationUrl), { username: 'scheduling_app', password: 'scheduling_app' });
  fleet = new ServiceFleet({ DATABASE_URL: through(url) });
  return (await fleet.add()).url;
}

type Call = { status: number; retryAfter: string | null; took: number };

async function call(url: string): Promise<Call> {
  const began = performance.now();
  const response = await fetch(`${url}${PLAN}`, { headers: { authorization: `bearer ${token}` } });
  await response.arrayBuffer();
  const { status, headers } = response;
  return { status, retryAfter: headers.get('retry-after'), took: performance.now() - began };
}

const callAll = (url: string) => Promise.all(Array.from({ length: CALLERS }, () => call(url)));

/** Returns the milliseconds until the service is ready. Each probe has the timeout of an orchestrator. */
async function untilReady(url: string): Promise<number> {
  const began = performance.now();
  const probe = () =>
    fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(1_000) }).then(
      ({ ok }) => ok,
      () => false,
    );
  await waitFor(probe);
  return performance.now() - began;
}

it.each([
  ['for a moment', 1_000],
  ['for long', 8_000],
])('packets of the database are lost %s, and so are its connections', async (when, milliseconds) => {
  database = await createTestDatabase('postgresql');
  const { environment } = database;
  if (environment.kind !== 'postgresql') throw new Error('needs a server');
  const wire = await TcpProxy.start(new URL(environment.url));
  const url = await serve(environment.migrationUrl, (direct) => wire.toProxyUrl(direct));
  expect((await callAll(url)).map(({ status }) => status)).toEqual(Array(CALLERS).fill(200));

  wire.dropPackets();
  // Sends requests continuously. Some of them are in a transaction, and some wait for a connection.
  const calls: Promise<Call>[] = [];
  const coming = setInterval(() => calls.push(call(url)), 100);
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  wire.acceptConnections();
  const ready = await untilReady(url);
  clearInterval(coming);
  const answers = await Promise.all(calls);
  await wire.stop();

  const refused = answers.filter(({ status }) => status !== 200);
  const longest = Math.max(...answers.map(({ took }) => took));
  process.stdout.write(
    `lost ${when}: ${answers.length} requests, ${refused.length} of them 503 after ${Math.round(longest)} ms at most, ` +
      `ready again after ${Math.round(ready)} ms\n`,
  );
  expect(refused.length).toBeGreaterThan(0);
  for (const { status, retryAfter } of refused) expect([status, retryAfter]).toEqual([503, '5']);
  expect(longest).toBeLessThan(ANSWER_MS);
  expect(ready).toBeLessThan(READY_MS);
});

it('the database is restarted (pg_ctl -m immediate)', async () => {
  const server = await startPostgresqlServer();
  try {
    const url = await serve(await createMigratedDatabase(server.url, 'care'), String);
    expect((await callAll(url)).map(({ status }) => status)).toEqual(Array(CALLERS).fill(200));
    const load = callAll(url);
    await server.restart();
    const ready = await untilReady(url);
    process.stdout.write(`restarted: ready again after ${Math.round(ready)} ms\n`);
    expect(ready).toBeLessThan(READY_MS);
    for (const { status, retryAfter } of await load) {
      if (status !== 200) expect([status, retryAfter]).toEqual([503, '5']);
    }
    expect((await callAll(url)).map(({ status }) => status)).toEqual(Array(CALLERS).fill(200));
  } finally {
    await fleet.stop();
    await server.stop();
  }
});
