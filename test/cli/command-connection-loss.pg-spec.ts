import type { SqlEntityManager } from '@mikro-orm/sql';
import { sql } from 'kysely';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import type { TestApp } from '../support/app/test-app.js';
import { TcpProxy } from '../support/database/tcp-proxy.js';
import { commandVariablesOf, MovingClinic } from '../support/operations/moving-clinic.js';
import { nodeVariables } from '../support/process/node-variables.js';

/*
 * Commands that lose their connection to the database while they copy a table, each of which runs as a process, and one
 * that cannot lock a table.
 */

const LOST = 'The connection to the database was lost.';

let moving: MovingClinic;
beforeAll(async () => {
  moving = await MovingClinic.start();
});
afterAll(() => moving.stop());

/** Runs a command whose connection is closed when it sends a text. Returns its output without progress lines. */
async function runAndDisconnect(app: TestApp, text: string, command: string, ...words: string[]): Promise<string> {
  const { MIGRATION_DATABASE_URL: url, ...variables } = commandVariablesOf(app);
  const proxy = await TcpProxy.start(new URL(url!));
  proxy.closingText = text;
  const env = { ...nodeVariables(), ...variables, MIGRATION_DATABASE_URL: proxy.toProxyUrl(new URL(url!)) };
  const child = spawn(process.execPath, [`dist/src/cli/${command}.js`, ...words], { env });
  let output = '';
  child.stderr.on('data', (chunk) => (output += String(chunk)));
  expect(await once(child, 'close')).toEqual([1, null]);
  await proxy.stop();
  return output.replace(/^[█░].*\n/gmu, '').trimEnd();
}

it('an export that cannot write its file leaves the Clinic open', async () => {
  const result = await moving.exportTo('missing/moved');
  expect(result).toEqual({
    status: 1,
    stdout: '',
    stderr: `${moving.file('missing/moved')} cannot be written (ENOENT).\n`,
  });
  expect(await moving.old.queryRows(sql`select from clinic_move`)).toEqual([]);
});

it('an export that loses its connection says so, and that the Clinic is closed, and leaves no part of the file', async () => {
  const { clinicId } = moving.tenant.fixture;
  const words = ['--clinic', String(clinicId), '--recipient', moving.recipient, '--output', moving.file('moved')];
  expect(await runAndDisconnect(moving.old, 'to stdout', 'export-clinic', ...words)).toBe(
    `${LOST}\nClinic ${clinicId} is closed here, and there is no file. Repeat the export, or open the Clinic again: ` +
      `npm run export-clinic -- --clinic ${clinicId} --cancel`,
  );
  expect(readdirSync(moving.directory)).toEqual(['key']);
});

it('an import that cannot add a partition during a backup says so in one line, and can be repeated', async () => {
  const { clinicId } = moving.tenant.fixture;
  // No partition of the new installation has this month.
  await moving.old.queryRows(sql`
    insert into audit_entry (clinic_id, at, actor_role, access, operation, records, record_count, request_id, address, outcome)
    values (${clinicId}, '2020-02-02', 'SYSTEM', 'WRITE', 'system', '{}', 0, gen_random_uuid(), 'host', 'OK')`);
  expect((await moving.exportTo('moved')).status).toBe(0);
  const { stderr, status } = await moving.target.asSuperuser(async (em) => {
    await (em as SqlEntityManager).execute('lock table audit_entry in access share mode');
    return moving.importFrom('moved');
  });
  const hint = 'another transaction uses the table, such as a backup. Run the command again when it has ended.';
  expect([status, stderr]).toEqual([1, `canceling statement due to lock timeout: ${hint}\n`]);
});

it('an import that loses its connection says so in one line, and can be repeated', async () => {
  const words = ['--identity', moving.file('key'), '--input', moving.file('moved')];
  expect(await runAndDisconnect(moving.target, 'from stdin', 'import-clinic', ...words)).toBe(LOST);
  expect((await moving.importFrom('moved')).status).toBe(0);
});

it('a backup that loses its connection says so in one line, and leaves no directory', async () => {
  expect(await runAndDisconnect(moving.old, 'to stdout', 'backup', moving.file('backup'))).toBe(LOST);
  expect(existsSync(moving.file('backup'))).toBe(false);
});
