import { jest } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApplication } from '../../src/app.setup.js';
import { Scheduler } from '../../src/scheduler/index.js';
import type { EncryptionEnvironment } from '../../src/shared/config/env.js';
import { FieldEncryption } from '../../src/shared/persistence/index.js';
import { TEST_JWT_SECRET, TestApp, waitFor, type ClinicFixture } from '../support/app/test-app.js';
import { createTestKeys, TEST_RING_KEY, toKeyVariables } from '../support/app/test-keys.js';
import { createTestDatabase } from '../support/database/test-database.js';
import { VaultServer } from '../support/http/vault-server.js';
import { findSampleValue, scrapeMetrics } from '../support/operations/metrics.js';
import { runCommandInProcess } from '../support/process/cli-command.js';
import { ServiceProcess } from '../support/process/service-process.js';
import { nodeVariables } from '../support/process/node-variables.js';

/*
 * Data keys that the transit engine of Vault encrypts: outages, versions of the transit key, the way from the key ring to
 * Vault and back, and tokens that are replaced, renewed and never logged.
 */

const CLIENTS = '/gateway/profile/clinic/client';
const TOKEN = 'hvs.CAESIJ0nUqWvPz3TestOnlyToken';
const OTHER_TOKEN = 'hvs.CAESIAnotherTestOnlyToken';
const JOB = 'encryption-keys';
type Keys = Extract<EncryptionEnvironment['keys'], { kind: 'configured' }>;

let vault: VaultServer;
let directory: string;
let tokenFile: string;
let app: TestApp;
let clinic: ClinicFixture;
const instances: NestFastifyApplication[] = [];
const folders: string[] = [];

beforeAll(async () => {
  vault = await VaultServer.start(TOKEN);
  const folder = mkdtempSync(join(tmpdir(), 'vault-token-'));
  folders.push(folder);
  tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, `${TOKEN}\n`);
  directory = (createTestKeys().keys as Keys).directory;
  app = await TestApp.start({ encryption: withVault() });
  // By its timer, the job would run into a fault of another test, after which the client pauses.
  await app.nest.get(Scheduler).stop(JOB);
  clinic = await app.createClinic();
});
afterEach(async () => {
  // Their jobs would renew the token too.
  for (const instance of instances.splice(0)) await instance.close();
  Object.assign(vault, { isSealed: false, failures: [], delayMs: 0 });
  writeFileSync(tokenFile, `${TOKEN}\n`);
});
afterAll(async () => {
  await app.stop();
  await vault.close();
  for (const folder of folders) rmSync(folder, { recursive: true });
});

function withVault(changes: Partial<Keys> = {}): EncryptionEnvironment {
  const settings = {
    ...{ address: vault.url, namespace: 'care', mount: 'transit', key: 'care-scheduling' },
    token: { kind: 'file' as const, file: tokenFile },
  };
  return {
    encrypts: true,
    keys: { kind: 'configured', vault: settings, active: 'vault', directory, ...changes },
  };
}

/** Starts one more instance, which has none of the keys of the others in memory. */
async function startInstance(encryption: EncryptionEnvironment = withVault()) {
  const nest = await createApplication({ ...app.environment, encryption }, app.clock);
  instances.push(nest);
  await nest.listen({ port: 0, host: '127.0.0.1' });
  const url = await nest.getUrl();
  return { nest, read: (path: string) => call(url, path), url };
}

async function call(url: string, path: string) {
  const response = await fetch(new URL(path, url), { headers: { authorization: `bearer ${clinic.clinicToken}` } });
  const body = (await response.json()) as { name?: string; type?: string; details?: Record<string, object> };
  return { status: response.status, body, retryAfter: response.headers.get('retry-after') };
}

function readKeyFiles(): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.key'))
    .map((name) => readFileSync(join(directory, name), 'utf8'));
}

const countKeys = (prefix: string) => readKeyFiles().filter((key) => key.startsWith(prefix)).length;

function rotate(encryption: EncryptionEnvironment) {
  const { database } = app.environment;
  if (database.kind !== 'postgresql') throw new Error('This test needs a server');
  const variables = { DATABASE_URL: database.url, JWT_SECRET: TEST_JWT_SECRET, ...toKeyVariables(encryption) };
  return { variables, run: () => runCommandInProcess('rotate-keys', [], variables) };
}

it('encrypts each data key in Vault, and decrypts those of a list with one request', async () => {
  expect(countKeys('2 care-scheduling vault:v1:')).toBe(readKeyFiles().length);
  const { read } = await startInstance();
  vault.requests.length = 0;
  const { status, body } = await read(CLIENTS);
  expect([status, JSON.stringify(body).match(/"name":"(One|Two|Three)"/g)]).toEqual([200, expect.any(Array)]);
  const decrypted = vault.requests.filter(({ path }) => path === '/v1/transit/decrypt/care-scheduling');
  expect(decrypted.map(({ items }) => items)).toContain(3);
  expect(decrypted.length).toBeLessThanOrEqual(2);
  expect(new Set(vault.requests.map(({ namespace }) => namespace))).toEqual(new Set(['care']));
});

it('binds each key to its record', async () => {
  const [first, second] = clinic.clientIds.map((id) =>
    join(directory, 'client', (id % 4_096).toString(16).padStart(3, '0'), `${id}.key`),
  ) as [string, string];
  const original = readFileSync(second);
  writeFileSync(second, readFileSync(first));
  const { read } = await startInstance();
  expect((await read(`${CLIENTS}/${clinic.clientIds[1]}`)).body.name).toBe('[unreadable]');
  expect((await read(`${CLIENTS}/${clinic.clientIds[0]}`)).body.name).toBe('One');
  writeFileSync(second, original);
});

it('serves all other records if Vault refuses the transit key of one', async () => {
  const [refused, other] = clinic.clientIds.map((id) => `${CLIENTS}/${id}`) as [string, string];
  const id = clinic.clientIds[0];
  const file = join(directory, 'client', (id % 4_096).toString(16).padStart(3, '0'), `${id}.key`);
  const key = readFileSync(file, 'utf8');
  writeFileSync(file, key.replace('care-scheduling', 'retired'));
  const { read } = await startInstance();
  const answers = [await read(refused), await read(other)].map(({ status }) => status);
  writeFileSync(file, key);
  expect(answers).toEqual([503, 200]);
});

describe('while Vault cannot be used', () => {
  const outages = {
    'it is down': { begin: () => vault.close(), end: () => vault.listen(), reason: /cannot be reached \(ECONN/ },
    'it is sealed': {
      begin: () => (vault.isSealed = true),
      end: () => (vault.isSealed = false),
      reason: /is sealed or in maintenance/,
    },
    'the token is wrong': {
      begin: () => writeFileSync(tokenFile, OTHER_TOKEN),
      end: () => writeFileSync(tokenFile, TOKEN),
      reason: /refuses the token/,
    },
  };

  it.each(Object.entries(outages))('because %s, other requests go on', async (_name, { begin, end, reason }) => {
    const { read } = await startInstance();
    const [known, unknown] = clinic.clientIds.map((id) => `${CLIENTS}/${id}`) as [string, string];
    expect((await read(known)).status).toBe(200);
    await begin();
    try {
      const refused = await read(unknown);
      expect([refused.status, refused.retryAfter]).toEqual([503, '5']);
      expect(refused.body.type).toMatch(/keys-unavailable$/);
      expect(await read(known)).toMatchObject({ status: 200, body: { name: 'One' } });
      const ready = await read('/health/ready');
      expect(ready).toMatchObject({
        status: 200,
        body: { details: { vault: { state: expect.stringMatching(reason) } } },
      });
      // A request must not create a record whose key is lost.
      const files = readKeyFiles().length;
      const created = await fetch(new URL(CLIENTS, app.url), {
        method: 'POST',
        headers: { authorization: `bearer ${clinic.clinicToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'New' }),
      });
      expect([created.status, readKeyFiles().length]).toEqual([503, files]);
    } finally {
      await end();
    }
    await waitFor(async () => (await read(unknown)).status === 200);
    expect((await read('/health/ready')).body.details!['vault']).toEqual({ status: 'up', state: 'in use' });
  });

  it('does not start, and says why', async () => {
    vault.isSealed = true;
    await expect(createApplication({ ...app.environment }, app.clock)).rejects.toThrow(
      /cannot be decrypted: Vault is sealed/,
    );
  });

  it('a first start that fails leaves a database that can be used without encryption', async () => {
    vault.isSealed = true;
    const database = await createTestDatabase('postgresql');
    try {
      const given = { ...app.environment, database: database.environment };
      const { directory: empty } = createTestKeys().keys as Keys;
      folders.push(empty);
      const first = createApplication({ ...given, encryption: withVault({ directory: empty }) }, app.clock);
      await expect(first).rejects.toThrow(/cannot be decrypted: Vault is sealed/);
      const plain = await createApplication({ ...given, encryption: { encrypts: false, keys: undefined } }, app.clock);
      await plain.close();
    } finally {
      await database.drop();
    }
  });

  it('sends a request again that failed, but not for ever', async () => {
    const { read } = await startInstance();
    await read(`${CLIENTS}/${clinic.clientIds[0]}`);
    vault.failures = [500, 429];
    vault.requests.length = 0;
    expect((await read(`${CLIENTS}/${clinic.clientIds[1]}`)).status).toBe(200);
    expect(vault.countRequests('decrypt')).toBe(3);
    vault.failures = Array.from({ length: 20 }, () => 500);
    expect((await read(`${CLIENTS}/${clinic.clientIds[2]}`)).status).toBe(503);
    expect((await read(`${CLIENTS}/${clinic.clientIds[2]}`)).status).toBe(503);
    expect(vault.countRequests('decrypt')).toBe(6);
  });
});

describe('npm run rotate-keys', () => {
  it('moves keys to the newest version, after which older ones are not needed', async () => {
    vault.rotate();
    const count = readKeyFiles().length;
    const { run } = rotate(withVault());
    expect(await run()).toMatchObject({ status: 0, stdout: `${count} key(s) rotated, 0 were current, 0 failed\n` });
    expect((await run()).stdout).toBe(`0 key(s) rotated, ${count} were current, 0 failed\n`);
    vault.minimumVersion = 2;
    const { read } = await startInstance();
    expect((await read(`${CLIENTS}/${clinic.clientIds[2]}`)).body.name).toBe('Three');
  });

  it('goes from Vault to the key ring and back, is killed, and continues', async () => {
    const { keys } = app.nest.get(FieldEncryption);
    await keys!.createAll(Array.from({ length: 3_000 }, (_, index) => ({ kind: 'CLIENT', id: 1_000_000 + index })));
    const ring: Keys['ring'] = [TEST_RING_KEY];
    const total = readKeyFiles().length;
    expect((await rotate(withVault({ ring, active: 'ring' })).run()).stdout).toMatch(/^\d+ key\(s\) rotated, 0 were/);
    expect(countKeys(`1 ${TEST_RING_KEY.name} `)).toBe(total);

    const back = rotate(withVault({ ring, active: 'vault' }));
    vault.delayMs = 300;
    const command = spawn(process.execPath, ['dist/src/cli/rotate-keys.js'], {
      env: { ...nodeVariables(), ...back.variables },
      stdio: 'ignore',
    });
    const end = once(command, 'close');
    while (command.exitCode === null && countKeys('2 ') === 0) await delay(200);
    command.kill('SIGKILL');
    expect((await end)[0]).toBeNull();
    const moved = countKeys('2 ');
    expect(moved).toBeGreaterThan(0);
    expect(moved).toBeLessThan(total);
    vault.delayMs = 0;
    // Between the two, an instance with both reads all keys.
    const { read } = await startInstance(withVault({ ring, active: 'vault' }));
    for (const id of clinic.clientIds) expect((await read(`${CLIENTS}/${id}`)).status).toBe(200);

    expect((await back.run()).stdout).toBe(`${total - moved} key(s) rotated, ${moved} were current, 0 failed\n`);
    const only = await startInstance();
    expect((await only.read(`${CLIENTS}/${clinic.clientIds[1]}`)).body.name).toBe('Two');
  });

  it('ends with a message while Vault is sealed, and has changed nothing', async () => {
    vault.isSealed = true;
    const files = readKeyFiles();
    expect(await rotate(withVault()).run()).toEqual({
      status: 1,
      stdout: '',
      stderr: 'Vault is sealed or in maintenance\n',
    });
    expect(readKeyFiles()).toEqual(files);
  });
});

describe('the token', () => {
  const token = () => vault.tokens.get(OTHER_TOKEN)!;
  beforeEach(() => {
    vault.tokens.set(OTHER_TOKEN, { ttl: 3_600, creationTtl: 3_600, renewable: true });
    vault.maxTtl = Number.POSITIVE_INFINITY;
    writeFileSync(tokenFile, OTHER_TOKEN);
    vault.requests.length = 0;
  });

  it('is renewed when half of its lifetime is over', async () => {
    const scheduler = app.nest.get(Scheduler);
    await scheduler.run(JOB);
    expect(vault.countRequests('renew-self')).toBe(0);
    token().ttl = 1_799;
    await scheduler.run(JOB);
    expect([vault.countRequests('renew-self'), token().ttl]).toEqual([1, 3_600]);
    const samples = await scrapeMetrics(app);
    expect(findSampleValue(samples, 'scheduling_vault_token_renewals_total', { outcome: 'success' })).toBe(1);
    expect(findSampleValue(samples, 'scheduling_vault_up')).toBe(1);
    const expiry = findSampleValue(samples, 'scheduling_vault_token_expiry_timestamp_seconds')!;
    expect(Math.abs(expiry - (Temporal.Now.instant().epochMilliseconds / 1_000 + 3_600))).toBeLessThan(60);
  });

  it('that cannot be renewed is counted as a failure', async () => {
    token().ttl = 1_000;
    vault.failures = [];
    const scheduler = app.nest.get(Scheduler);
    const renew = jest.spyOn(vault as unknown as { renew: () => object }, 'renew');
    renew.mockReturnValue({ status: 403, body: { errors: ['permission denied'] } });
    await scheduler.run(JOB);
    renew.mockRestore();
    const samples = await scrapeMetrics(app);
    expect(findSampleValue(samples, 'scheduling_vault_token_renewals_total', { outcome: 'failure' })).toBe(1);
    expect(findSampleValue(samples, 'scheduling_vault_up')).toBe(0);
    expect(findSampleValue(samples, 'scheduling_task_runs_total', { task: JOB, outcome: 'failure' })).toBe(1);
    await waitFor(async () => {
      await scheduler.run(JOB);
      return token().ttl === 3_600;
    });
  });

  it('that does not expire is not renewed', async () => {
    Object.assign(token(), { ttl: 0, creationTtl: 0 });
    await waitFor(async () => {
      await app.nest.get(Scheduler).run(JOB);
      return findSampleValue(await scrapeMetrics(app), 'scheduling_vault_token_expiry_timestamp_seconds') === undefined;
    });
    expect(vault.countRequests('renew-self')).toBe(0);
  });
});

it('no log contains the token or a key, whatever fails', async () => {
  const { database } = app.environment;
  if (database.kind !== 'postgresql') throw new Error('This test needs a server');
  const { variables } = rotate(withVault({ ring: [TEST_RING_KEY], active: 'vault' }));
  const service = await ServiceProcess.start({ ...variables, LOG_LEVEL: 'trace' });
  const statuses: number[] = [];
  const read = async (id: number) => statuses.push((await call(service.url, `${CLIENTS}/${id}`)).status);
  await read(clinic.clientIds[0]);
  vault.isSealed = true;
  await read(clinic.clientIds[1]);
  Object.assign(vault, { isSealed: false });
  writeFileSync(tokenFile, OTHER_TOKEN.slice(1));
  await delay(1_100);
  await read(clinic.clientIds[1]);
  await service.terminate('SIGTERM');
  expect(statuses).toEqual([200, 503, 503]);
  const log = [...service.logLines, service.stderr].join('\n');
  expect(log).toContain('data keys cannot be used now');
  const secrets = [TOKEN, OTHER_TOKEN.slice(1), TEST_RING_KEY.key, ...vault.plaintexts, ...readKeyFiles()];
  for (const secret of secrets) expect(log.includes(secret)).toBe(false);
});
