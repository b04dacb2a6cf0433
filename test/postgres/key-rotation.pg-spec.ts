import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApplication } from '../../src/app.setup.js';
import type { EncryptionEnvironment } from '../../src/shared/config/env.js';
import { FieldEncryption } from '../../src/shared/persistence/index.js';
import { TEST_JWT_SECRET, TestApp, type ClinicFixture } from '../support/app/test-app.js';
import { TEST_RING_KEY, toKeyVariables } from '../support/app/test-keys.js';
import { repetitionCount } from '../support/app/repetitions.js';
import { nodeVariables } from '../support/process/node-variables.js';

/*
 * The key ring is rotated while requests go on. The command is killed again and again, and started again. No request
 * fails, every value is readable before and after, and the old key of the ring is not needed any more.
 */

const CLIENTS = '/gateway/profile/clinic/client';
const NEW_RING_KEY = { name: 'new', key: Buffer.alloc(32, 8).toString('base64') };
const KILLS = 10;
const CLIENT_COUNT = repetitionCount('ROTATED_CLIENTS', 300, 5_000);
const KEY_COUNT = repetitionCount('ROTATED_KEYS', 4_000, 100_000);
/** Keys without a record, which make the rotation longer. */
const FIRST_KEY = 1_000_000;
const SAMPLE = repetitionCount('SAMPLED_KEYS', 120, 240);

let app: TestApp;
let clinic: ClinicFixture;
const instances: NestFastifyApplication[] = [];
beforeAll(async () => {
  app = await TestApp.start();
  clinic = await app.createClinic();
});
afterAll(async () => {
  for (const instance of instances) await instance.close();
  await app.stop();
});

function withRing(...ring: [typeof TEST_RING_KEY, ...(typeof TEST_RING_KEY)[]]): EncryptionEnvironment {
  const { keys } = app.environment.encryption;
  if (keys?.kind !== 'configured') throw new Error('The tests have keys');
  return { encrypts: true, keys: { ...keys, ring } };
}

/** Starts one more instance on the same database, and returns its URL. */
async function startInstance(encryption: EncryptionEnvironment): Promise<string> {
  const instance = await createApplication({ ...app.environment, encryption }, app.clock);
  instances.push(instance);
  await instance.listen({ port: 0, host: '127.0.0.1' });
  return instance.getUrl();
}

async function call(url: string, method: string, path: string, body?: object) {
  const response = await fetch(new URL(path, url), {
    method,
    headers: { authorization: `bearer ${clinic.clinicToken}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return {
    status: response.status,
    body: response.status === 200 ? ((await response.json()) as { name: string }) : null,
  };
}

/**
 * Runs `npm run rotate-keys`, and kills it when `isEnough` says so. @returns the exit code, or null if it was killed
 */
async function rotate(encryption: EncryptionEnvironment, isEnough: () => boolean): Promise<number | null> {
  const { database } = app.environment;
  const command = spawn(process.execPath, ['dist/src/cli/rotate-keys.js'], {
    env: {
      ...nodeVariables(),
      DATABASE_URL: database.kind === 'postgresql' ? database.url : '',
      JWT_SECRET: TEST_JWT_SECRET,
      ...toKeyVariables(encryption),
    },
    stdio: 'ignore',
  });
  const end = once(command, 'close') as Promise<[number | null]>;
  while (command.exitCode === null && !isEnough()) await delay(10);
  if (command.exitCode === null) command.kill('SIGKILL');
  return (await end)[0];
}

/** Counts the keys of a sample that are rotated. To read all of them would take longer than their rotation. */
function countRotated(directory: string): number {
  const sample = Array.from({ length: SAMPLE }, (_, index) => FIRST_KEY + Math.floor((index * KEY_COUNT) / SAMPLE));
  return sample.filter((id) => {
    const shard = (id % 4_096).toString(16).padStart(3, '0');
    return readFileSync(join(directory, 'client', shard, `${id}.key`), 'utf8').startsWith('1 new ');
  }).length;
}

it(`is rotated under load with ${KILLS} kills`, async () => {
  const lines = Array.from({ length: CLIENT_COUNT }, (_, index) =>
    JSON.stringify({ externalId: `c-${index}`, name: `Client ${index}` }),
  );
  const imported = await app.call('POST', `${CLIENTS}/import`, {
    token: clinic.clinicToken,
    raw: lines.join('\n'),
    headers: { 'content-type': 'application/x-ndjson' },
  });
  expect(imported.status).toBe(200);
  const ids = imported.text.trim().split('\n').map((line) => (JSON.parse(line) as { id: number }).id); // prettier-ignore
  expect(ids).toHaveLength(CLIENT_COUNT);
  const { keys } = app.nest.get(FieldEncryption);
  for (let id = FIRST_KEY; id < FIRST_KEY + KEY_COUNT; id += 50)
    await Promise.all(Array.from({ length: 50 }, (_, index) => keys!.createAll([{ kind: 'CLIENT', id: id + index }])));

  const both = withRing(NEW_RING_KEY, TEST_RING_KEY);
  const { keys: location } = both;
  const directory = location?.kind === 'configured' ? location.directory : '';
  const url = await startInstance(both);
  const progress = { isOver: false };
  const statuses: number[] = [];
  const load = (async () => {
    for (let turn = 0; !progress.isOver; turn = (turn + 1) % CLIENT_COUNT) {
      const path = `${CLIENTS}/${ids[turn]}`;
      const read = await call(url, 'GET', path);
      const written = await call(url, 'PATCH', path, { email: `c${turn}@example.org` });
      const created = await call(url, 'POST', CLIENTS, { name: 'New' });
      if (read.body?.name !== `Client ${turn}`) throw new Error(`Client ${turn} is ${JSON.stringify(read)}`);
      statuses.push(read.status, written.status, created.status);
      // Without a pause, the requests would take the processor from the command that they must overlap.
      await delay(20);
    }
  })();
  const step = Math.floor(SAMPLE / (KILLS + 2));
  try {
    for (let kill = 0; kill < KILLS; kill += 1) {
      const before = countRotated(directory);
      expect(await rotate(both, () => countRotated(directory) >= before + step)).toBeNull();
    }
    expect(await rotate(both, () => false)).toBe(0);
  } finally {
    progress.isOver = true;
    await load;
  }
  expect(new Set(statuses)).toEqual(new Set([200, 201]));
  expect(statuses.length).toBeGreaterThan(30);

  const withoutOld = await startInstance(withRing(NEW_RING_KEY));
  for (const [index, id] of ids.entries()) {
    const { body } = await call(withoutOld, 'GET', `${CLIENTS}/${id}`);
    if (body?.name !== `Client ${index}`) throw new Error(`Client ${index} cannot be read`);
  }
  await expect(createApplication({ ...app.environment }, app.clock)).rejects.toThrow(/cannot be decrypted/);
}, 600_000);
