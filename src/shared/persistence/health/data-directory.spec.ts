import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  lockDataDirectory,
  DataDirectoryDamagedError,
  getDatabaseDirectory,
  DataDirectoryInUseError,
  detectDamageOnOpen,
} from './data-directory.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'claim-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Source of a script that locks the directory in another process. */
const HOLD = `
  const { DatabaseSync } = require('node:sqlite');
  const lock = new DatabaseSync(process.argv[1]);
  lock.exec('begin exclusive');
  console.log('held');
  if (process.argv[2]) setInterval(() => lock, 1000);`;
const lockFile = () => join(directory, 'database.lock');

it('locks the directory for this process, any number of times', () => {
  lockDataDirectory(directory);
  lockDataDirectory(directory);
  const other = spawnSync(process.execPath, ['-e', HOLD, lockFile()], { encoding: 'utf8' });
  expect([other.status, other.stderr]).toEqual([1, expect.stringContaining('database is locked')]);
});

it('refuses a directory that another process has locked, until that process is killed', async () => {
  const other = spawn(process.execPath, ['-e', HOLD, lockFile(), 'for long']);
  await new Promise((resolve) => other.stdout.once('data', resolve));
  expect(() => lockDataDirectory(directory)).toThrow(DataDirectoryInUseError);
  const ended = new Promise((resolve) => other.once('close', resolve));
  other.kill('SIGKILL');
  await ended;
  lockDataDirectory(directory);
});

it('ignores the lock file of an earlier release, whose process id may belong to another process now', () => {
  writeFileSync(join(directory, 'lock'), String(process.ppid));
  lockDataDirectory(directory);
});

it('locks nothing for a database in memory', () => {
  lockDataDirectory('memory:');
});

it('refuses database files without PG_VERSION, which would be overwritten', () => {
  for (const name of ['base', 'global', 'pg_wal'])
    mkdirSync(join(getDatabaseDirectory(directory), name), { recursive: true });
  expect(() => lockDataDirectory(directory)).toThrow(DataDirectoryDamagedError);
  expect(() => lockDataDirectory(directory)).toThrow(directory);
  writeFileSync(join(getDatabaseDirectory(directory), 'PG_VERSION'), '18');
  lockDataDirectory(directory);
});

it('distinguishes an aborted start of the embedded database from other failures', async () => {
  const embedded = { kind: 'embedded', dataDir: directory } as const;
  const fails = (error: unknown) => detectDamageOnOpen(embedded, () => Promise.reject(error as Error));
  const aborted = new Error('Aborted(). Build with -sASSERTIONS for more info.');
  await expect(fails(new Error('wrapped', { cause: aborted }))).rejects.toThrow(DataDirectoryDamagedError);
  await expect(fails(Object.assign(new Error('unreachable'), { name: 'RuntimeError' }))).rejects.toThrow(directory);
  await expect(fails(new Error('other'))).rejects.toThrow('other');
});
