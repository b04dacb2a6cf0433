import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claimDataDirectory, DataDirectoryInUseError } from './data-directory.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'claim-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const lock = () => join(directory, 'lock');

it('makes the directory this process’s own, again as often as it likes', () => {
  claimDataDirectory(directory);
  claimDataDirectory(directory);
  expect(readFileSync(lock(), 'utf8')).toBe(String(process.pid));
});

it('refuses a directory that a living process has', () => {
  writeFileSync(lock(), String(process.ppid));
  expect(() => claimDataDirectory(directory)).toThrow(DataDirectoryInUseError);
  expect(readFileSync(lock(), 'utf8')).toBe(String(process.ppid));
});

it('takes over what a dead process, or nonsense, has left', () => {
  const { pid } = spawnSync(process.execPath, ['--version']);
  for (const left of [String(pid), 'nonsense', '', '-1', '0']) {
    writeFileSync(lock(), left);
    claimDataDirectory(directory);
    expect(readFileSync(lock(), 'utf8')).toBe(String(process.pid));
  }
});

it('has nothing to claim in memory', () => {
  claimDataDirectory('memory:');
});
