import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import { runCommandInProcess } from '../support/process/cli-command.js';
import { queryRows } from '../support/database/query-rows.js';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';
import { ServiceProcess } from '../support/process/service-process.js';
import { TEST_JWT_SECRET } from '../support/app/test-app.js';
import { nodeVariables } from '../support/process/node-variables.js';

/* Tests the audit entries and log lines that commands write with a PostgreSQL server. */

let database: TestDatabase;
let url: string;
let directory: string;
beforeAll(async () => {
  directory = join(mkdtempSync(join(tmpdir(), 'commands-')), 'backup');
  database = await createTestDatabase('postgresql');
  url = ownerUrlOf(database);
});
afterAll(async () => {
  rmSync(join(directory, '..'), { recursive: true });
  await database.drop();
});

function ownerUrlOf({ environment }: TestDatabase): string {
  if (environment.kind !== 'postgresql') throw new Error('needs a server');
  return environment.migrationUrl;
}

/** Uses the service's own login where the service runs, and the table owner's login for the rest, as in production. */
function variablesOf({ environment }: TestDatabase): Record<string, string> {
  if (environment.kind !== 'postgresql') throw new Error('needs a server');
  return {
    JWT_SECRET: TEST_JWT_SECRET,
    DATABASE_URL: environment.url,
    MIGRATION_DATABASE_URL: environment.migrationUrl,
  };
}

const run = (command: string, words: string[], changed: Record<string, string> = {}, of = database) =>
  runCommandInProcess(command, words, { ...variablesOf(of), ...changed });

/** Runs a command in a new process, as an operator does, and returns its output. */
function runProcess(command: string, words: string[], changed: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [`dist/src/cli/${command}.js`, ...words], {
    env: {
      ...nodeVariables(),
      ...variablesOf(database),
      ...changed,
    },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

type Entry = { actor_role: string; actor_subject: string; access: string; operation: string; records: string[] };
const entries = (at = url) =>
  queryRows<Entry>(
    at,
    `select actor_role, actor_subject, access, operation, records from audit_entry where clinic_id is null order by id`,
  );
const entryOf = (name: string, access: string, records: string[] = []): Entry => ({
  ...{ actor_role: 'COMMAND', actor_subject: userInfo().username, access, operation: `command ${name}`, records },
});

it('token writes an entry that names the token and its record', async () => {
  const { status, stdout, stderr } = runProcess('token', ['--role', 'CARE_PROVIDER', '--id', '7']);
  expect([status, stderr]).toEqual([0, '']);
  const jti = decodeJwt(stdout.trim()).jti!;
  expect(await entries()).toEqual([entryOf('token', 'WRITE', [`token/${jti}`, 'care-provider/7'])]);
});

it('token prints no token if the entry cannot be written', async () => {
  const nowhere = Object.assign(new URL(url), { pathname: '/nowhere' }).href;
  const changed = { DATABASE_URL: nowhere, MIGRATION_DATABASE_URL: '' };
  const { status, stdout, stderr } = await run('token', ['--role', 'ADMIN'], changed);
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^The audit trail cannot be written\. The database of DATABASE_URL cannot be used \(3D000\)/);
});

it('with the embedded database, which the service locks, token writes a log line instead', () => {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'embedded-'));
  try {
    const { status, stdout, stderr } = runProcess('token', ['--role', 'CLINIC', '--id', '1'], {
      ...{ DATABASE_URL: '', MIGRATION_DATABASE_URL: '', DATA_DIR },
    });
    expect([status, stdout.split('.').length, stderr]).toEqual([0, 3, '']);
    const log = join(DATA_DIR, 'commands.log');
    expect(statSync(log).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(log, 'utf8'))).toMatchObject({
      ...{ level: 30, msg: 'command', operation: 'command token', subject: userInfo().username },
      records: [`token/${decodeJwt(stdout.trim()).jti}`, 'clinic/1'],
    });
  } finally {
    rmSync(DATA_DIR, { recursive: true });
  }
});

it('backup writes an entry that the backup contains; after a restore, the service writes one at its next start', async () => {
  expect(await run('backup', [directory])).toMatchObject({ status: 0, stderr: '' });
  const before = await entries();
  expect(before.at(-1)).toEqual(entryOf('backup', 'READ'));
  const restored = await createTestDatabase('postgresql');
  try {
    const at = ownerUrlOf(restored);
    for (const command of ['restore', 'verify-restore', 'verify-restore'])
      expect(await run(command, [directory], {}, restored)).toMatchObject({ status: 0, stderr: '' });
    expect(await entries(at)).toEqual(before);
    for (const _ of [1, 2]) {
      const instance = await ServiceProcess.start({ DATABASE_URL: at });
      await instance.stop();
    }
    expect(await entries(at)).toEqual([...before, entryOf('restore', 'WRITE')]);
    expect(await run('audit-verify', ['--overdue', '999'], {}, restored)).toMatchObject({ status: 0, stderr: '' });
  } finally {
    await restored.drop();
  }
});

it('a backup that cannot write an entry copies no data', async () => {
  const target = `${directory}-silent`;
  await queryRows(
    url,
    `create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
    create trigger refuse before insert on audit_entry for each row execute function refuse()`,
  );
  expect(await run('backup', [target])).toMatchObject({ status: 1, stderr: 'refused\n' });
  expect(existsSync(target)).toBe(false);
  await queryRows(url, `drop function refuse() cascade`);
});

it('migrate down also writes to the log, because the migration may drop the table with the entry', () => {
  const { stderr } = runProcess('migrate', ['down', '--destroy-data', '--confirm', new URL(url).pathname.slice(1)]);
  expect(JSON.parse(stderr.split('\n')[0]!)).toMatchObject({ operation: 'command migrate down', access: 'WRITE' });
  const { stdout } = runProcess('migrate', []);
  expect(stdout).toContain('migrated');
  // Without a terminal, the log has no colours.
  expect(stdout).not.toContain('\u001b');
});
