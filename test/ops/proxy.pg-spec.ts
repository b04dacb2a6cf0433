import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { signToken } from '../../src/auth/index.js';
import { testEnvironment, waitFor } from '../support/app/test-app.js';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';
import { callFromAddress } from '../support/http/call-from-address.js';
import { HaProxy } from '../support/process/haproxy.js';
import { ServiceFleet } from '../support/process/service-fleet.js';

/*
 * Tests two instances behind HAProxy with the example configuration in deploy/proxy. If HAProxy is not installed, the
 * tests are skipped with a message (Debian: apt-get install haproxy).
 */

const describeInstalled = HaProxy.isInstalled ? describe : describe.skip;
if (!HaProxy.isInstalled)
  process.stdout.write('Skipped: haproxy is not installed (Debian: apt-get install haproxy).\n');

const CLIENT_PATH = '/gateway/profile/clinic/client';
const EXPORT_PATH = '/gateway/profile/clinic/audit/export';
const EXPORTED_ENTRIES = 3_000;

describeInstalled('behind HAProxy', () => {
  let database: TestDatabase;
  let sql: pg.Client;
  let fleet: ServiceFleet;
  let proxy: HaProxy;
  let authorization: string;

  beforeAll(async () => {
    database = await createTestDatabase('postgresql');
    if (database.environment.kind !== 'postgresql') throw new Error('This test needs a server');
    sql = new pg.Client({ connectionString: database.environment.migrationUrl });
    await sql.connect();
    await sql.query(
      `insert into clinic (name, time_zone, active, created_at) values ('C', 'Europe/London', true, now())`,
    );
    fleet = new ServiceFleet({ DATABASE_URL: database.environment.url, TRUSTED_PROXIES: '127.0.0.1' });
    const [first, second] = await Promise.all([fleet.add(), fleet.add()]);
    proxy = await HaProxy.start(`127.0.0.1:${first.port}`, `127.0.0.1:${second.port}`);
    authorization = `bearer ${await signToken(testEnvironment.token, { role: 'CLINIC', id: 1 })}`;
  });
  afterAll(async () => {
    await proxy.stop();
    await fleet.stop();
    await sql.end();
    await database.drop();
  });

  const call = (path: string, init: { method?: string; headers?: Record<string, string>; body?: string } = {}) =>
    fetch(`${proxy.url}${path}`, { ...init, headers: { authorization, ...init.headers } });
  const create = (name: string, key: string) =>
    call(CLIENT_PATH, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify({ name }),
    });

  it('has no complaint about the configuration of docker-compose.yml', () => {
    expect(HaProxy.check('deploy/compose/balancer.cfg')).toBe('');
  });

  it('is a configuration without a complaint, which serves no metrics and logs no query', async () => {
    expect(HaProxy.check()).toBe('');
    expect((await call('/metrics')).status).toBe(404);
    expect((await call('/%6detrics')).status).toBe(404);
    expect((await call(`${CLIENT_PATH}?name=Confidential`)).status).toBe(200);
    await waitFor(() => proxy.log.includes(CLIENT_PATH));
    expect(proxy.log).not.toContain('Confidential');
  });

  it('logs neither the secret of a link nor an id of another system', async () => {
    const secret = randomBytes(32).toString('base64url');
    const external = { method: 'PUT', headers: { 'content-type': 'application/json' }, body: '{"name":"Known"}' };
    expect((await call(`/calendar/${secret}.ics`)).status).toBe(404);
    expect((await call(`/c%61lendar/${secret}.ics`)).status).toBe(404);
    expect((await call(`/reminder/opt-out/session/${secret}`)).status).toBe(404);
    expect((await call(`${CLIENT_PATH}/external/${secret}`, external)).status).toBe(201);
    await waitFor(() => proxy.log.includes('/external/'));
    expect(proxy.log).toContain('"GET" "/calendar/..." 404');
    expect(proxy.log).not.toContain(secret);
  });

  it('passes the address of the caller on, and not the one that the caller invents', async () => {
    const headers = { authorization, 'x-forwarded-for': '203.0.113.9' };
    const answer = await callFromAddress(proxy, { address: '127.0.0.7', headers, path: CLIENT_PATH });
    expect(answer.status).toBe(200);
    const { rows } = await sql.query<{ address: string }>('select address from audit_entry order by id desc limit 1');
    expect(rows).toEqual([{ address: '127.0.0.7' }]);
  });

  it('executes a request with an Idempotency-Key once, on whichever instance it arrives', async () => {
    const key = randomUUID();
    const answers = [];
    for (let attempt = 1; attempt <= 4; attempt += 1) answers.push(await create('Once', key));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(answers.map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true', 'true', 'true']);
    const { rows } = await sql.query(`select from client where name = 'Once'`);
    expect(rows).toHaveLength(1);
  });

  it('streams an export', async () => {
    await sql.query(`
      insert into audit_entry (clinic_id, at, actor_role, access, operation, records, record_count, request_id, address, outcome)
      select 1, '2026-01-01'::timestamptz + n * interval '1 ms', 'CLINIC', 'READ', 'o', array['session/' || n], 1,
        gen_random_uuid(), 'a', 'OK' from generate_series(1, ${EXPORTED_ENTRIES}) n`);
    const answer = await call(`${EXPORT_PATH}?operation=o`);
    expect([answer.status, answer.headers.get('content-length')]).toEqual([200, null]);
    expect((await answer.text()).trimEnd().split('\n')).toHaveLength(EXPORTED_ENTRIES);
  });

  it('fails no request while an instance stops and starts again', async () => {
    const failures: string[] = [];
    const served = { reads: 0, writes: 0 };
    let isOver = false;
    const repeat = async (request: () => Promise<Response>, expected: number, kind: keyof typeof served) => {
      while (!isOver) {
        const status = await request().then(
          async (answer) => (await answer.text(), answer.status),
          (error: unknown) => (error instanceof Error ? error.message : 'failed'),
        );
        if (status === expected) served[kind] += 1;
        else failures.push(`${kind} ${status}`);
      }
    };
    const load = [
      ...[1, 2, 3].map(() => repeat(() => call(CLIENT_PATH), 200, 'reads')),
      ...[1, 2].map(() => repeat(() => create('During', randomUUID()), 201, 'writes')),
    ];
    const [stopped] = fleet.instances as [(typeof fleet.instances)[0]];
    await stopped.stop();
    const before = { ...served };
    await fleet.add({ PORT: String(stopped.port) });
    await waitFor(() => served.reads > before.reads + 20 && served.writes > before.writes + 20);
    isOver = true;
    await Promise.all(load);
    expect(failures).toEqual([]);
    const { rows } = await sql.query(`select from client where name = 'During'`);
    expect(rows).toHaveLength(served.writes);
  });

  it.each(['deploy/proxy/haproxy.cfg', 'deploy/compose/balancer.cfg'])('%s has its own answer 503', (file) => {
    const lines = readFileSync(file, 'utf8').split('\n');
    const own = lines.filter((line) => line.startsWith('  http-error status 503 '));
    expect(own).toEqual([expect.stringMatching(/ hdr retry-after 5 /)]);
    const shared = readFileSync('deploy/proxy/haproxy.cfg', 'utf8').split('\n');
    expect(shared).toContain(own[0]);
  });

  it('answers as the service does while no instance is ready', async () => {
    await fleet.stop();
    const answer = await call(CLIENT_PATH);
    const { headers } = answer;
    expect([answer.status, headers.get('content-type')]).toEqual([503, 'application/problem+json']);
    expect([headers.get('retry-after'), headers.get('cache-control')]).toEqual(['5', 'no-store']);
    expect(await answer.json()).toEqual({
      type: 'urn:problem:service-unavailable',
      title: 'Service Unavailable',
      status: 503,
      detail: 'The service cannot answer right now. Try again.',
      instance: expect.stringMatching(/^urn:uuid:[\da-f-]{36}$/),
    });
  });
});
