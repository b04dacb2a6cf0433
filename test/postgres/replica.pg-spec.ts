import { EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { sql } from 'kysely';
import pg from 'pg';
import { Registry, type Counter } from 'prom-client';
import { setTimeout as delay } from 'node:timers/promises';
import { AuditReader } from '../../src/audit/reading/audit.reader.js';
import { createClient } from '../../src/client/index.js';
import { LogPosition, ReplicaDatabase } from '../../src/shared/persistence/index.js';
import { toReplicaSession } from '../../src/shared/persistence/replica/replica-read.js';
import { TestApp, waitFor, type ClinicFixture } from '../support/app/test-app.js';
import { createMigratedDatabase } from '../support/database/postgresql.setup.js';
import { ReplicatedDatabase } from '../support/database/replicated-database.js';

/*
 * Tests reads from a streaming replica. While replay is paused, the replica returns older data than the primary, so the
 * data shows which server has answered.
 */

const CLIENTS = '/gateway/profile/clinic/client';
const MAX_LAG = Temporal.Duration.from('PT5S');
const MAX_LAG_MS = MAX_LAG.total('milliseconds');

let servers: ReplicatedDatabase;
let onPrimary: pg.Client;
let onReplica: pg.Client;
let app: TestApp;
let clinic: ClinicFixture;
beforeAll(async () => {
  servers = await ReplicatedDatabase.start();
  onPrimary = await connect(servers.migrationUrl);
  onReplica = await connect(servers.replicaUrl);
  app = await TestApp.start({ database: servers.toEnvironment(MAX_LAG) });
  clinic = await app.createClinic();
});
afterAll(async () => {
  await app.stop();
  await Promise.all([onPrimary.end(), onReplica.end()]);
  await servers.stop();
});
beforeEach(async () => {
  await onReplica.query('select pg_wal_replay_resume()');
  await waitUntilUsed();
});

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** Creates a Client through the API. Returns the consistency token of this write. */
async function write(name: string): Promise<string> {
  const { status, headers } = await app.call('POST', CLIENTS, { token: clinic.clinicToken, body: { name } });
  expect(status).toBe(201);
  return headers.get('consistency-token')!;
}

/** Inserts a Client directly into the database, like a change by another caller. */
async function insert(name: string, on = onPrimary): Promise<void> {
  const statement = `insert into client (clinic_id, name, active, created_at) values ($1, $2, true, now())`;
  await on.query(statement, [clinic.clinicId, name]);
}

/** Lists the names of all Clients. */
async function list(consistencyToken?: string, path = CLIENTS): Promise<string[]> {
  const headers: Record<string, string> =
    consistencyToken === undefined ? {} : { 'consistency-token': consistencyToken };
  const { status, body } = await app.call('GET', `${path}?limit=200`, { token: clinic.clinicToken, headers });
  expect(status).toBe(200);
  return (body.items as { name: string }[]).map(({ name }) => name);
}

async function waitUntilReplayed(): Promise<void> {
  const { rows } = await onPrimary.query<{ lsn: string }>('select pg_current_wal_flush_lsn()::text as lsn');
  await waitFor(async () => {
    const statement = 'select pg_last_wal_replay_lsn() >= $1::pg_lsn as reached';
    return (await onReplica.query<{ reached: boolean }>(statement, [rows[0]!.lsn])).rows[0]!.reached;
  });
}

/** Creates a Client, waits until the replica has it, and pauses the replay there. Returns the token of this write. */
async function pause(name: string): Promise<string> {
  const token = await write(name);
  await waitUntilReplayed();
  await onReplica.query('select pg_wal_replay_pause()');
  const isPaused = `select pg_get_wal_replay_pause_state() = 'paused' as paused`;
  await waitFor(async () => (await onReplica.query<{ paused: boolean }>(isPaused)).rows[0]!.paused);
  return token;
}

const waitUntilUsed = () => waitFor(() => app.nest.get(ReplicaDatabase).fault === undefined);

async function count(metric: string, labels: Record<string, string>): Promise<number> {
  const { values } = await (app.nest.get(Registry).getSingleMetric(metric) as Counter).get();
  const matching = values.filter((one) => Object.entries(labels).every(([name, value]) => one.labels[name] === value));
  return matching.reduce((sum, { value }) => sum + value, 0);
}
const reads = (server: string) => count('scheduling_reads_total', { server });
const fallbacks = (reason: string) => count('scheduling_replica_fallbacks_total', { reason });

describe('a replica that follows', () => {
  it('serves a list to a caller with a token, and the primary to one without', async () => {
    const token = await pause('before');
    await insert('later');
    const before = { replica: await reads('replica'), primary: await reads('primary') };
    const stale = await list(token);
    expect(stale).toContain('before');
    expect(stale).not.toContain('later');
    expect(await list()).toContain('later');
    expect(await reads('replica')).toBe(before.replica + 1);
    expect(await reads('primary')).toBe(before.primary + 1);
    const statement = `select count(*)::int as count from pg_stat_activity where usename = 'scheduling_app' and query = 'commit'`;
    // The request is repeated, because the comparison with the primary may use the same connection at that moment.
    await waitFor(async () => {
      await list(token);
      return (await onReplica.query<{ count: number }>(statement)).rows[0]!.count > 0;
    }, 4_000);
  });

  it('does not hide the own write of a caller while replay is paused', async () => {
    await pause('paused here');
    const before = await fallbacks('behind');
    for (const name of ['own 1', 'own 2', 'own 3']) expect(await list(await write(name))).toContain(name);
    expect(await fallbacks('behind')).toBe(before + 3);
  });

  it('is not used for data that is older than the bound, and is used again when it has caught up', async () => {
    const token = await pause('bound');
    const pausedAt = performance.now();
    await insert('after the bound');
    expect(await list(token)).not.toContain('after the bound');
    await waitFor(async () => (await list(token)).includes('after the bound'));
    expect(performance.now() - pausedAt).toBeLessThan(MAX_LAG_MS + 3_000);
    expect(await count('scheduling_replica_usable', {})).toBe(0);
    await waitFor(async () => (await count('scheduling_replica_lag_seconds', {})) > MAX_LAG_MS / 1000);
    expect((await readiness()).state).toBe('behind');
    await onReplica.query('select pg_wal_replay_resume()');
    await waitUntilUsed();
    const before = await reads('replica');
    expect(await list(token)).toContain('after the bound');
    expect(await reads('replica')).toBe(before + 1);
    expect(await count('scheduling_replica_usable', {})).toBe(1);
    expect((await readiness()).state).toBe('in use');
  });

  it('has all own writes within milliseconds: each read directly after a write sees it, whichever server answers', async () => {
    for (let number = 1; number <= 50; number += 1) {
      const name = `quick ${number}`;
      expect(await list(await write(name))).toContain(name);
    }
  });
});

const readiness = async () => {
  const { status, body } = await app.call('GET', '/health/ready');
  return { status, state: body.info?.replica?.state as string | undefined };
};

const entries = async () => {
  const statement = `select count(*)::int as count from audit_entry where operation = $1 and clinic_id = $2`;
  const { rows } = await onPrimary.query<{ count: number }>(statement, [`GET ${CLIENTS}`, clinic.clinicId]);
  return rows[0]!.count;
};

describe('the audit entry of a read on the replica', () => {
  it('is on the primary before the answer', async () => {
    const token = await pause('audited');
    await insert('not on the replica');
    const before = await entries();
    expect(await list(token)).not.toContain('not on the replica');
    expect(await entries()).toBe(before + 1);
  });

  it('is a condition of the answer', async () => {
    const token = await pause('unaudited');
    await onPrimary.query('alter table audit_entry rename to gone');
    const headers = { 'consistency-token': token };
    const answer = await app.call('GET', CLIENTS, { token: clinic.clinicToken, headers });
    await onPrimary.query('alter table gone rename to audit_entry');
    expect(answer.status).toBe(503);
    expect(answer.text).not.toContain('unaudited');
  });
});

/**
 * Reads from the replica without a condition on the Clinic, in a transaction that requires the position in the token.
 */
async function readClinicIds(token: string, clinicId = clinic.clinicId): Promise<number[]> {
  const { em } = app.nest.get(ReplicaDatabase);
  const session = toReplicaSession(em, { role: 'CLINIC', subject: 'user', clinicId }, LogPosition.parse(token)!);
  return em.fork({ session }).transactional(async (one) => {
    const statement = sql<{ clinic_id: string }>`select distinct clinic_id from client`;
    const { rows } = await statement.execute((one as SqlEntityManager).getKysely());
    return rows.map(({ clinic_id }) => Number(clinic_id));
  });
}

describe('a transaction on the replica', () => {
  it('fails by itself if its server has not reached the position, whatever is known of the replica', async () => {
    await pause('known');
    const token = await write('not replayed');
    await expect(readClinicIds(token)).rejects.toMatchObject({ fault: 'behind' });
    await onReplica.query('select pg_wal_replay_resume()');
    await waitUntilReplayed();
    expect(await readClinicIds(token)).toEqual([clinic.clinicId]);
  });

  it('fails if the position is on a later timeline', async () => {
    const token = await write('timeline');
    await waitUntilReplayed();
    await expect(readClinicIds(`00000002${token.slice(8)}`)).rejects.toMatchObject({ fault: 'behind' });
  });

  it('cannot write', async () => {
    const token = await write('read-only');
    await waitUntilReplayed();
    const { em } = app.nest.get(ReplicaDatabase);
    const actor = { role: 'CLINIC', subject: 'user', clinicId: clinic.clinicId } as const;
    const fork = em.fork({ session: toReplicaSession(em, actor, LogPosition.parse(token)!) });
    const change = fork.transactional((one) =>
      sql`update client set name = name where id = 0`.execute((one as SqlEntityManager).getKysely()),
    );
    await expect(change).rejects.toMatchObject({ code: '25006' });
  });
});

describe('another Clinic', () => {
  it('sees nothing of the first on the replica, also in a statement without a condition', async () => {
    const own = await write('of the first Clinic');
    await waitUntilReplayed();
    const other = await app.createClinic();
    await waitUntilReplayed();
    const before = await reads('replica');
    const headers = { 'consistency-token': own };
    const { body } = await app.call('GET', `${CLIENTS}?limit=200`, { token: other.clinicToken, headers });
    expect(await reads('replica')).toBe(before + 1);
    expect(body.items.map(({ name }: { name: string }) => name).toSorted()).toEqual(['One', 'Three', 'Two']);
    expect(await readClinicIds(own, other.clinicId)).toEqual([other.clinicId]);
  });

  it('is not reachable in a transaction that names no position', async () => {
    const fork = app.nest.get(ReplicaDatabase).em.fork({ session: { variables: { role: 'scheduling_service' } } });
    const find = fork.transactional((one) => sql`select 1`.execute((one as SqlEntityManager).getKysely()));
    await expect(find).rejects.toThrow('requires a position');
  });
});

it('serves every list, week and export that may be stale', async () => {
  const token = await write('for all');
  await waitUntilReplayed();
  const { body: document } = await app.call('GET', '/openapi.json');
  const isMarked = (operation: { parameters?: { $ref?: string }[] } | undefined) =>
    operation?.parameters?.some(({ $ref }) => $ref === '#/components/parameters/ConsistencyToken');
  const paths = Object.entries<Record<string, never>>(document.paths).filter(([, { get }]) => isMarked(get));
  const calls = paths.map(([path]) => path).filter((path) => !path.includes('{'));
  expect(calls.length).toBeGreaterThanOrEqual(20);
  const tokens = new Map([
    ['clinic', clinic.clinicToken],
    ['caregiver', clinic.careProviderToken],
    ['client', await app.createToken('CLIENT', clinic.clientIds[0])],
    ['admin', await app.createToken('ADMIN')],
  ]);
  for (const path of calls) {
    const role = /^\/gateway\/(?:profile\/)?(\w+)\//.exec(path)?.[1] ?? 'clinic';
    const query = path.endsWith('/week') ? '?from=2027-05-03' : '';
    const before = await reads('replica');
    const options = { token: tokens.get(role)!, headers: { 'consistency-token': token } };
    const { status } = await app.call('GET', `${path}${query}`, options);
    expect({ path, status, served: (await reads('replica')) - before }).toEqual({ path, status: 200, served: 1 });
  }
});

it('serves a synchronisation from the primary', async () => {
  const token = await pause('synchronised');
  const headers = { 'consistency-token': token };
  const before = await reads('replica');
  for (const list of ['session', 'series', 'homework', 'design-plan']) {
    const path = `/gateway/profile/clinic/${list}?sync=true`;
    const { status } = await app.call('GET', path, { token: clinic.clinicToken, headers });
    expect([list, status, await reads('replica')]).toEqual([list, 200, before]);
  }
});

it('reads the parts of an export from the replica', async () => {
  const token = await pause('exported');
  // The primary would return this entry, because it is older than the end of the export.
  await onPrimary.query(
    `insert into audit_entry (clinic_id, at, actor_role, access, operation, records, record_count, request_id, address, outcome)
      select clinic_id, at, actor_role, access, 'unseen', records, record_count, request_id, address, outcome
        from audit_entry where clinic_id = $1 order by id limit 1`,
    [clinic.clinicId],
  );
  const { text } = await app.call('GET', '/gateway/profile/clinic/audit/export', {
    ...{ token: clinic.clinicToken, headers: { 'consistency-token': token } },
  });
  const { rows } = await onReplica.query<{ count: number }>(
    'select count(*)::int as count from audit_entry where clinic_id = $1',
    [clinic.clinicId],
  );
  expect(rows[0]!.count).toBeGreaterThan(100);
  expect(text.trim().split('\n')).toHaveLength(rows[0]!.count);
  expect(text).not.toContain('unseen');
  const current = await app.call('GET', '/gateway/profile/clinic/audit/export', { token: clinic.clinicToken });
  expect(current.text).toContain('unseen');
});

it('serves an operation that turns out to write from the primary, and does not try the replica again', async () => {
  const token = await write('writing');
  await waitUntilReplayed();
  const reader = app.nest.get(AuditReader, { strict: false });
  const em = app.nest.get(EntityManager);
  let runs = 0;
  reader.list = async () => {
    runs += 1;
    return em.transactional(async (one) => {
      await sql`update client set name = name where id = 0`.execute((one as SqlEntityManager).getKysely());
      return { items: [], nextCursor: null };
    });
  };
  const before = await fallbacks('writes');
  const call = () => list(token, '/gateway/profile/clinic/audit');
  await call();
  expect(runs).toBe(2);
  await call();
  expect(runs).toBe(3);
  expect(await fallbacks('writes')).toBe(before + 2);
  delete (reader as { list?: unknown }).list;
});

it.each(['1', '0/3000148', 'FFFFFFFFFFFFFFFFFFFFFFFG', "' or 1=1"])('refuses the token %p with 400', async (given) => {
  const headers = { 'consistency-token': given };
  const { status, body } = await app.call('GET', CLIENTS, { token: clinic.clinicToken, headers });
  expect(status).toBe(400);
  expect(body.errors).toEqual([expect.objectContaining({ pointer: '/consistency-token' })]);
});

it('serves a token of the future, or of another timeline, from the primary', async () => {
  await waitUntilReplayed();
  const before = await reads('replica');
  for (const token of ['FFFFFFFFFFFFFFFFFFFFFFFF', '000000020000000000000001'])
    expect(await list(token)).toContain('One');
  expect(await reads('replica')).toBe(before);
});

it('is carried along by the typed client', async () => {
  const api = createClient({ baseUrl: app.url, token: clinic.clinicToken });
  const names = async () => (await api.clinic.listClients({ limit: 200 })).items.map(({ name }) => name);
  await api.clinic.createClient({ body: { name: 'typed' } });
  await waitUntilReplayed();
  await onReplica.query('select pg_wal_replay_pause()');
  await insert('unseen');
  const before = await reads('replica');
  const stale = await names();
  expect([stale.includes('typed'), stale.includes('unseen')]).toEqual([true, false]);
  expect(await reads('replica')).toBe(before + 1);
  await api.clinic.createClient({ body: { name: 'typed later' } });
  expect(await names()).toContain('typed later');
});

it('lets browsers of other origins send and read the token', async () => {
  const origin = { origin: 'https://app.example.org' };
  const preflight = await app.call('OPTIONS', CLIENTS, {
    headers: { ...origin, 'access-control-request-method': 'GET' },
  });
  expect(preflight.headers.get('access-control-allow-headers')).toContain('consistency-token');
  const read = await app.call('GET', CLIENTS, { token: clinic.clinicToken, headers: origin });
  expect(read.headers.get('access-control-expose-headers')).toContain('consistency-token');
});

/**
 * Lists Clients continuously until the returned function is called. That function returns the number of responses and
 * the statuses other than 200.
 */
function load(token: string) {
  let isOver = false;
  const statuses: number[] = [];
  const workers = Array.from({ length: 6 }, async () => {
    while (!isOver) {
      const headers = { 'consistency-token': token };
      statuses.push((await app.call('GET', CLIENTS, { token: clinic.clinicToken, headers })).status);
    }
  });
  return async () => {
    isOver = true;
    await Promise.all(workers);
    return { total: statuses.length, failed: statuses.filter((status) => status !== 200) };
  };
}

it('is not used if its URL names another database', async () => {
  const other = await createMigratedDatabase(servers.primary.url, 'other');
  const misconfigured = await TestApp.start({ database: servers.toEnvironment(MAX_LAG, other) });
  try {
    const { clinicToken: token } = await misconfigured.createClinic();
    await waitFor(async () => misconfigured.nest.get(ReplicaDatabase).fault === 'wrong-database');
    const created = await misconfigured.call('POST', CLIENTS, { token, body: { name: 'N' } });
    const headers = { 'consistency-token': created.headers.get('consistency-token')! };
    const { status, body } = await misconfigured.call('GET', CLIENTS, { token, headers });
    expect([status, body.items]).toEqual([200, expect.arrayContaining([expect.objectContaining({ name: 'N' })])]);
    const { body: health } = await misconfigured.call('GET', '/health/ready');
    expect(health.details.replica).toEqual({ status: 'up', state: 'wrong-database' });
  } finally {
    await misconfigured.stop();
  }
});

describe('a replica that fails', () => {
  it('is replaced by the primary without an error when its connections freeze', async () => {
    const token = await write('frozen');
    await waitUntilReplayed();
    const stop = load(token);
    await delay(500);
    const { rows } = await onReplica.query<{ pid: number }>(
      `select pid from pg_stat_activity where usename = 'scheduling_app'`,
    );
    for (const { pid } of rows) process.kill(pid, 'SIGSTOP');
    const since = performance.now();
    await delay(1_000);
    // Reads that were waiting for the frozen connections are answered as well.
    const { failed } = await stop().finally(() => rows.forEach(({ pid }) => process.kill(pid, 'SIGCONT')));
    expect(failed).toEqual([]);
    expect(performance.now() - since).toBeLessThan(10_000);
  });

  it('is replaced by the primary without an error when it is killed under load, and is used again', async () => {
    const token = await write('killed');
    await waitUntilReplayed();
    const before = await reads('replica');
    const stop = load(token);
    await waitFor(async () => (await reads('replica')) > before + 10);
    await servers.replica.kill();
    await waitFor(() => app.nest.get(ReplicaDatabase).fault === 'unreachable');
    await delay(1_000);
    const { total, failed } = await stop();
    process.stdout.write(`replica killed under load: ${total} reads, ${failed.length} not 200\n`);
    expect(failed).toEqual([]);
    expect(await list(token)).toContain('killed');
    expect(await readiness()).toEqual({ status: 200, state: 'unreachable' });
    await servers.replica.restart();
    onReplica = await connect(servers.replicaUrl);
    await waitUntilUsed();
    await waitUntilReplayed();
    const after = await reads('replica');
    expect(await list(token)).toContain('killed');
    expect(await reads('replica')).toBe(after + 1);
  });

  it('is not used after it was promoted', async () => {
    const token = await write('promoted');
    await waitUntilReplayed();
    await onReplica.query('select pg_promote()');
    await expect(readClinicIds(token)).rejects.toMatchObject({ fault: 'promoted' });
    await insert('only on the promoted server', onReplica);
    for (let call = 0; call < 20; call += 1) expect(await list(token)).not.toContain('only on the promoted server');
    await waitFor(async () => (await readiness()).state === 'promoted');
    expect((await readiness()).status).toBe(200);
  });
});
