import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  lockDataDirectory,
  DataDirectoryDamagedError,
  databaseDirectory,
  DataDirectoryInUseError,
  detectDamageOnOpen,
} from './data-directory.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'claim-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** What another process does to have the directory. */
const HOLD = `
  const { DatabaseSync } = require('node:sqlite');
  const lock = new DatabaseSync(process.argv[1]);
  lock.exec('begin exclusive');
  console.log('held');
  if (process.argv[2]) setInterval(() => lock, 1000);`;
const lockFile = () => join(directory, 'database.lock');

it('makes the directory this process’s own, again as often as it likes', () => {
  lockDataDirectory(directory);
  lockDataDirectory(directory);
  const other = spawnSync(process.execPath, ['-e', HOLD, lockFile()], { encoding: 'utf8' });
  expect([other.status, other.stderr]).toEqual([1, expect.stringContaining('database is locked')]);
});

it('refuses a directory that a living process has, until that one is killed', async () => {
  const other = spawn(process.execPath, ['-e', HOLD, lockFile(), 'for long']);
  await new Promise((resolve) => other.stdout.once('data', resolve));
  expect(() => lockDataDirectory(directory)).toThrow(DataDirectoryInUseError);
  const ended = new Promise((resolve) => other.once('close', resolve));
  other.kill('SIGKILL');
  await ended;
  lockDataDirectory(directory);
});

it('is not kept out by the file of an earlier release, whose process id may be another’s now', () => {
  writeFileSync(join(directory, 'lock'), String(process.ppid));
  lockDataDirectory(directory);
});

it('has nothing to claim in memory', () => {
  lockDataDirectory('memory:');
});

it('refuses old files without PG_VERSION, which would be taken for none', () => {
  for (const name of ['base', 'global', 'pg_wal'])
    mkdirSync(join(databaseDirectory(directory), name), { recursive: true });
  expect(() => lockDataDirectory(directory)).toThrow(DataDirectoryDamagedError);
  expect(() => lockDataDirectory(directory)).toThrow(directory);
  writeFileSync(join(databaseDirectory(directory), 'PG_VERSION'), '18');
  lockDataDirectory(directory);
});

it('tells an aborted start of the embedded database from any other failure', async () => {
  const embedded = { kind: 'embedded', dataDir: directory } as const;
  const fails = (error: unknown) => detectDamageOnOpen(embedded, () => Promise.reject(error as Error));
  const aborted = new Error('Aborted(). Build with -sASSERTIONS for more info.');
  await expect(fails(new Error('wrapped', { cause: aborted }))).rejects.toThrow(DataDirectoryDamagedError);
  await expect(fails(Object.assign(new Error('unreachable'), { name: 'RuntimeError' }))).rejects.toThrow(directory);
  await expect(fails(new Error('other'))).rejects.toThrow('other');
});
