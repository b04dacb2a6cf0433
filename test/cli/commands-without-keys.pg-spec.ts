import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TEST_JWT_SECRET } from '../support/app/test-app.js';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';
import { findResource, withComponent } from '../support/operations/kubernetes.js';
import { runCommandInProcess } from '../support/process/cli-command.js';

/*
 * Commands with the environment of deploy/kubernetes with encryption, where the keys are not mounted: in the pod of the
 * migration. Commands that need no keys run; the others name what is missing.
 */

let database: TestDatabase;
let folder: string;
let variables: Record<string, string>;
beforeAll(async () => {
  database = await createTestDatabase('postgresql');
  folder = mkdtempSync(join(tmpdir(), 'care-commands-'));
  const { environment } = database;
  if (environment.kind !== 'postgresql') throw new Error('This test needs a server');
  variables = {
    NODE_ENV: 'production',
    ...withComponent('encryption', findResource('ConfigMap')).data,
    DATABASE_URL: environment.url,
    MIGRATION_DATABASE_URL: environment.migrationUrl,
  };
  expect(variables['ENCRYPTION_KEYS_FILE']).toBe('/run/secrets/encryption/keys');
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await database.drop();
});

it.each([
  ['migrate', [], /^database .+\n0 migration\(s\) done\n$/],
  ['audit-verify', ['--deep'], /\nOK: all rows were read/],
  ['id-range', [], /^range 0: /],
  ['tzdata', ['--dry-run'], /dry run: 0 Session\(s\)/],
  ['backup', ['DIRECTORY'], /./],
  ['verify-restore', ['DIRECTORY'], /./],
  // It uses a database in memory, whatever the variables of the database are.
  ['openapi', [], /^\{\n {2}"openapi"/],
] as const)('%s needs no keys', async (command, words, output) => {
  const given = words.map((word) => (word === 'DIRECTORY' ? join(folder, 'backup') : word));
  const { status, stdout, stderr } = await runCommandInProcess(command, given, variables);
  expect([status, stderr, stdout]).toEqual([0, '', expect.stringMatching(output)]);
});

it('token needs no keys', async () => {
  const { JWT_JWKS_URL: _, ...others } = variables;
  const given = { ...others, JWT_SECRET: TEST_JWT_SECRET };
  expect(await runCommandInProcess('token', ['--role', 'ADMIN'], given)).toMatchObject({ status: 0, stderr: '' });
});

it.each([
  ['rotate-keys', []],
  ['encrypt-rows', []],
  ['export-clinic', ['--clinic', '1', '--recipient', 'age1x', '--output', 'x']],
] as const)('%s names the file that is missing', async (command, words) => {
  expect(await runCommandInProcess(command, words, variables)).toEqual({
    ...{ status: 1, stdout: '' },
    stderr: 'Environment: ENCRYPTION_KEYS_FILE names a file that cannot be read (ENOENT)\n',
  });
});

it('rotate-keys and encrypt-rows run where the keys are mounted, as in the Job and in the pods of the service', async () => {
  const ring = join(folder, 'ring');
  writeFileSync(ring, `2026:${Buffer.alloc(32, 6).toString('base64')}\n`);
  const mounted = { ...variables, ENCRYPTION_KEYS_FILE: ring, ENCRYPTION_KEY_DIRECTORY: join(folder, 'keys') };
  expect(await runCommandInProcess('encrypt-rows', [], mounted)).toMatchObject({
    ...{ status: 0, stdout: expect.stringMatching(/^\d+ row\(s\) encrypted\n$/) },
  });
  expect(await runCommandInProcess('rotate-keys', [], mounted)).toMatchObject({
    ...{ status: 0, stdout: expect.stringMatching(/ 0 failed\n$/) },
  });
});
