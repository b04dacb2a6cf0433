import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { AuditSealer } from '../../src/audit/index.js';
import { runCommandInProcess } from '../support/process/cli-command.js';
import { TEST_JWT_SECRET, TestApp, type ClinicFixture } from '../support/app/test-app.js';

/* Tests the command `audit-verify` with the service's database login. */

let app: TestApp;
let clinic: ClinicFixture;
let directory: string;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'audit-'));
  app = await TestApp.start();
  clinic = await app.createClinic();
  await read();
});
afterAll(async () => {
  await app.stop();
  rmSync(directory, { recursive: true });
});

async function read(): Promise<void> {
  await app.call('GET', '/gateway/profile/clinic/session', { token: clinic.clinicToken });
  await app.nest.get(AuditSealer).seal();
}

async function verify(...words: string[]): Promise<{ status: number; lines: string[]; stderr: string }> {
  const { database } = app.environment;
  const DATABASE_URL = database.kind === 'postgresql' ? database.url : '';
  const { status, stdout, stderr } = await runCommandInProcess('audit-verify', words, {
    DATABASE_URL,
    JWT_SECRET: TEST_JWT_SECRET,
  });
  return { status, lines: stdout.trimEnd().split('\n'), stderr };
}

it('passes and prints the heads, names changed entries, and reports a missing head', async () => {
  const first = await verify();
  expect(first).toEqual({
    status: 0,
    lines: [
      expect.stringMatching(/^database \S+:\d+\/\w+$/),
      expect.stringMatching(new RegExp(`^head ${clinic.clinicId} 1 [0-9a-f]{64}$`)),
      'OK: 1 entries in 1 seals, 0 finding(s)',
    ],
    stderr: '',
  });
  const kept = join(directory, 'heads');
  writeFileSync(kept, first.lines.join('\n'));
  await read();
  expect(await verify('--expect', kept)).toMatchObject({ status: 0, stderr: '' });

  await app.asSuperuser(async () => {
    await app.queryRows(sql`alter table audit_entry disable trigger all`);
    await app.queryRows(sql`update audit_entry set actor_id = 99 where id = 1`);
  });
  const changed = await verify('--expect', kept);
  expect([changed.status, changed.lines[1]]).toEqual([1, `CHANGED clinic ${clinic.clinicId} entry 1 seal 1`]);
  expect(changed.lines.at(-1)).toBe('NOT OK: 2 entries in 2 seals, 1 finding(s)');

  writeFileSync(kept, `head ${clinic.clinicId} 9 ${'0'.repeat(64)}\nOK: 9 entries in 9 seals, 0 finding(s)\n`);
  expect((await verify('--expect', kept)).lines).toContain(`HEAD_MISMATCH clinic ${clinic.clinicId} seal 9`);
});

it('prints an error in one line', async () => {
  expect(await verify('--overdue', 'soon')).toMatchObject({ status: 1, stderr: expect.stringContaining('--overdue') });
  const missing = join(directory, 'nothing');
  expect(await verify('--expect', missing)).toMatchObject({
    status: 1,
    stderr: `--expect: ${missing} cannot be read (ENOENT)\n`,
  });
  const incomplete = join(directory, 'incomplete');
  writeFileSync(incomplete, '');
  expect(await verify('--expect', incomplete)).toMatchObject({
    status: 1,
    stderr: `--expect: ${incomplete} has no summary line, so its heads are not complete\n`,
  });
});

it('needs the owner of the tables to read all rows', async () => {
  expect((await verify('--deep')).stderr).toBe(
    'The login of DATABASE_URL may not do this (42501): permission denied for table administrator_access. ' +
      'Set MIGRATION_DATABASE_URL to the owner of the tables (docs/operations.md, "PostgreSQL").\n',
  );
});
