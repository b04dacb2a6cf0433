import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TEST_JWT_SECRET, TestApp, type ClinicFixture } from '../support/app/test-app.js';
import { toKeyVariables } from '../support/app/test-keys.js';
import type { DatabaseEnvironment } from '../../src/shared/config/env.js';
import { createTestDatabase } from '../support/database/test-database.js';
import { runCommandInProcess } from '../support/process/cli-command.js';

/* Commands on a distributed database, beside a running service. jest.citus.config.mjs names further tests of commands. */

let app: TestApp;
let clinic: ClinicFixture;
let directory: string;
beforeAll(async () => {
  app = await TestApp.start();
  clinic = await app.createClinic();
  directory = mkdtempSync(join(tmpdir(), 'citus-commands-'));
  const { clientIds, careProviderToken: token } = clinic;
  const body = { clientId: clientIds[0], title: 'Talk', date: '2030/01/01', time: '09:00', remindDays: 0 };
  expect((await app.call('POST', '/gateway/profile/caregiver/session', { token, body })).status).toBe(201);
});
afterAll(async () => {
  rmSync(directory, { recursive: true });
  await app.stop();
});

const run = (command: string, ...words: string[]) => runOn(app.environment.database, command, ...words);

function runOn(database: DatabaseEnvironment, command: string, ...words: string[]) {
  const { encryption } = app.environment;
  if (database.kind !== 'postgresql') throw new Error('This test needs a server');
  return runCommandInProcess(command, words, {
    DATABASE_URL: database.url,
    MIGRATION_DATABASE_URL: database.migrationUrl,
    JWT_SECRET: TEST_JWT_SECRET,
    ...toKeyVariables(encryption),
  });
}

it('the audit trail is verified, and all rows are read', async () => {
  expect(await run('audit-verify', '--deep', '--overdue', '999999')).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^OK: all rows were read, 0 table/m),
  });
});

it('a token is explained', async () => {
  expect(await run('explain-token', clinic.careProviderToken)).toMatchObject({ status: 0, stderr: '' });
});

it('a backup has the rows of all servers, and is not restored into a distributed database', async () => {
  const target = join(directory, 'taken');
  expect(await run('backup', target)).toMatchObject({ status: 0, stderr: '' });
  expect(await run('verify-restore', target)).toMatchObject({ status: 0, stderr: '' });
  const empty = await createTestDatabase('postgresql');
  expect(await runOn(empty.environment, 'restore', target)).toEqual({
    status: 1,
    stdout: expect.stringMatching(/^database [^\n]+\n$/),
    stderr: expect.stringMatching(/^A backup cannot be restored into a distributed database: /),
  });
  await empty.drop();
});

const REFUSED = {
  status: 1,
  stdout: '',
  stderr: expect.stringMatching(/^Clinics of a distributed database cannot move/),
};

it('a Clinic is not moved away, and none is moved here', async () => {
  const identity = join(directory, 'key');
  const created = await run('import-clinic', '--new-identity', identity);
  const output = join(directory, 'clinic');
  const id = String(clinic.clinicId);
  expect(await run('export-clinic', '--clinic', id, '--dry-run')).toEqual(REFUSED);
  expect(await run('export-clinic', '--clinic', id, '--recipient', created.stdout.trim(), '--output', output)).toEqual(
    REFUSED,
  );
  for (const words of [['--cancel'], ['--delete', 'x']])
    expect(await run('export-clinic', '--clinic', id, ...words)).toEqual(REFUSED);
  expect(await run('export-clinic', '--clinic', id, '--confirm', 'x')).toEqual(REFUSED);
  expect(await run('import-clinic', '--clinic', id, '--discard')).toEqual(REFUSED);
  expect(await run('import-clinic', '--clinic', id, '--open', 'x')).toEqual(REFUSED);
});
