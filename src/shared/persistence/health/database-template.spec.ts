import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getDatabaseDirectory } from './data-directory.js';
import { prepareDataDirectory } from './database-template.js';

let directory: string;
let template: string;
let dataDir: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'template-'));
  [template, dataDir] = [join(directory, 'template'), join(directory, 'data')];
  for (const each of [template, dataDir]) mkdirSync(each);
  write(template, '18');
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Creates a directory with files of a database. */
function write(database: string, version: string): void {
  for (const name of ['base', 'global', 'pg_wal']) mkdirSync(join(database, name), { recursive: true });
  writeFileSync(join(database, 'PG_VERSION'), version);
}
/** Returns the names of the directories, without the files of the lock. */
const directoriesIn = (parent: string) =>
  readdirSync(parent, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
const versionOf = (database: string) => readFileSync(join(database, 'PG_VERSION'), 'utf8');

it('copies the template into a new data directory', () => {
  prepareDataDirectory(dataDir, template);
  expect(directoriesIn(dataDir)).toEqual(['database']);
  expect(readdirSync(getDatabaseDirectory(dataDir))).toEqual(['PG_VERSION', 'base', 'global', 'pg_wal']);
  expect(readdirSync(template)).toEqual(['PG_VERSION', 'base', 'global', 'pg_wal']);
});

it('copies it into an empty directory, and replaces the incomplete copy of a killed process', () => {
  const database = getDatabaseDirectory(dataDir);
  mkdirSync(database);
  write(`${database}.new`, 'incomplete');
  writeFileSync(join(`${database}.new`, 'other'), '');
  prepareDataDirectory(dataDir, template);
  expect(directoriesIn(dataDir)).toEqual(['database']);
  expect([versionOf(database), existsSync(join(database, 'other'))]).toEqual(['18', false]);
});

it('leaves an existing database as it is', () => {
  const database = getDatabaseDirectory(dataDir);
  write(database, '17');
  prepareDataDirectory(dataDir, template);
  expect(versionOf(database)).toBe('17');
});

it('does nothing for a database in memory, or if the build has no template', () => {
  prepareDataDirectory('memory://test', template);
  prepareDataDirectory(dataDir, join(directory, 'none'));
  expect(existsSync('memory:')).toBe(false);
  expect(directoriesIn(dataDir)).toEqual([]);
});
