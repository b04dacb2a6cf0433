import { jest } from '@jest/globals';
import { sql } from 'kysely';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { encryptExistingRows, FieldEncryption } from '../../src/shared/persistence/index.js';
import { runCommandInProcess } from '../support/process/cli-command.js';
import { TEST_JWT_SECRET, TestApp } from '../support/app/test-app.js';
import { toKeyVariables } from '../support/app/test-keys.js';

/*
 * `npm run encrypt-rows` and `npm run rotate-keys`, beside a running service. test/postgres/key-rotation has the load.
 */

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());

function run(command: string, ring?: string, more: Record<string, string> = {}) {
  const { database, encryption } = app.environment;
  if (database.kind !== 'postgresql') throw new Error('This test needs a server');
  const keys = toKeyVariables(encryption);
  return runCommandInProcess(command, [], {
    DATABASE_URL: database.url,
    MIGRATION_DATABASE_URL: database.migrationUrl,
    JWT_SECRET: TEST_JWT_SECRET,
    ...keys,
    ...(ring === undefined ? {} : { ENCRYPTION_KEYS: ring }),
    ...more,
  });
}

it('encrypts rows in clear text, once', async () => {
  const { clinicId } = await app.createClinic();
  await app.queryRows(sql`
    insert into care_provider (clinic_id, name, active, created_at) values (${clinicId}, 'In clear text', true, now())`);
  expect(await run('encrypt-rows')).toEqual({ status: 0, stdout: '1 row(s) encrypted\n', stderr: '' });
  expect(await run('encrypt-rows')).toMatchObject({ status: 0, stdout: '0 row(s) encrypted\n' });
});

it('encrypts few plans at a time, because each can have a megabyte', async () => {
  const { clinicId, clinicToken: token } = await app.createClinic();
  const created = await app.call('POST', '/gateway/profile/clinic/design-plan', { token, body: { planName: 'Long' } });
  const id = Number(created.headers.get('location')!.split('/').at(-1));
  await app.queryRows(sql`
    insert into design_plan_revision (design_plan_id, revision, clinic_id, plan_name, weeks, superseded_at)
    select ${id}, number, ${clinicId}, 'Long', '[]', now() from generate_series(1, 45) number`);
  const encrypted = jest.spyOn(FieldEncryption.prototype, 'encryptRows');
  expect(await encryptExistingRows(await app.forkAsSuperuser())).toBe(45);
  expect(encrypted.mock.calls.map(([, rows]) => rows.length)).toEqual([20, 20, 5]);
  encrypted.mockRestore();
});

describe('a row in clear text that another transaction has locked', () => {
  let other: pg.Client;
  beforeEach(async () => {
    const { clinicId } = await app.createClinic();
    await app.queryRows(sql`
      insert into care_provider (clinic_id, name, active, created_at) values (${clinicId}, 'Locked', true, now())`);
    const { database } = app.environment;
    other = new pg.Client(database.kind === 'postgresql' ? database.migrationUrl : '');
    await other.connect();
    await other.query(`begin; select from care_provider where clinic_id = ${clinicId} and name = 'Locked' for update`);
  });
  afterEach(() => other.end());

  it('is encrypted when that transaction has ended', async () => {
    const result = run('encrypt-rows');
    await delay(2_000);
    await other.query('commit');
    expect(await result).toEqual({ status: 0, stdout: '1 row(s) encrypted\n', stderr: '' });
  });

  it('is reported if it stays locked', async () => {
    await expect(encryptExistingRows(await app.forkAsSuperuser(), undefined, 500)).rejects.toThrow(
      /^Rows that other transactions have locked are not encrypted \(1 of care_provider\): run /,
    );
  });
});

it('rotates the keys of all records, and names what is missing', async () => {
  const { ENCRYPTION_KEYS: old } = toKeyVariables(app.environment.encryption);
  const ring = `new:${Buffer.alloc(32, 3).toString('base64')},${old}`;
  const first = await run('rotate-keys', ring);
  expect(first.status).toBe(0);
  const rotated = Number(/^(\d+) key\(s\) rotated, 0 were current, 0 failed\n$/.exec(first.stdout)![1]);
  expect(rotated).toBeGreaterThan(5);
  expect((await run('rotate-keys', ring)).stdout).toBe(`0 key(s) rotated, ${rotated} were current, 0 failed\n`);
  expect(await run('rotate-keys', `other:${Buffer.alloc(32, 4).toString('base64')}`)).toMatchObject({
    status: 1,
    stdout: `0 key(s) rotated, 0 were current, ${rotated} failed\n`,
  });
  const entries = await app.queryRows(sql<{ operation: string }>`
    select operation from audit_entry where operation = 'command rotate-keys'`);
  expect(entries).toHaveLength(3);
});

describe('a directory that is not the key store of the database', () => {
  let ENCRYPTION_KEY_DIRECTORY: string;
  beforeEach(() => (ENCRYPTION_KEY_DIRECTORY = mkdtempSync(join(tmpdir(), 'care-other-keys-'))));
  afterEach(() => rmSync(ENCRYPTION_KEY_DIRECTORY, { recursive: true }));

  const KNOWN = '^The database was encrypted with the keys of the store \\S+, but ENCRYPTION_KEY_DIRECTORY has';

  it.each(['rotate-keys', 'encrypt-rows'])('%s refuses an empty one, and creates nothing in it', async (command) => {
    const { status, stdout, stderr } = await run(command, undefined, { ENCRYPTION_KEY_DIRECTORY });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(new RegExp(`${KNOWN} no key store: is it the right directory, and is its volume mounted`));
    expect(readdirSync(ENCRYPTION_KEY_DIRECTORY)).toEqual([]);
  });

  it('rotates no keys of another key store', async () => {
    writeFileSync(join(ENCRYPTION_KEY_DIRECTORY, 'store-id'), 'other');
    const { status, stdout, stderr } = await run('rotate-keys', undefined, { ENCRYPTION_KEY_DIRECTORY });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(new RegExp(`${KNOWN} the store other`));
  });
});

it('explains that there are no keys', async () => {
  expect(await run('encrypt-rows', '')).toEqual({
    status: 1,
    stdout: '',
    stderr: 'Encryption is off: set ENCRYPTION_KEYS or VAULT_ADDR, and ENCRYPTION_KEY_DIRECTORY.\n',
  });
  expect((await run('rotate-keys', '')).stderr).toMatch(/^There are no keys/);
});
