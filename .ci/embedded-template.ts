import { PGlite } from '@electric-sql/pglite';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';

/*
 * The last step of the build: puts a migrated embedded database without rows into `dist`. The first start copies it,
 * because running all migrations takes several seconds.
 */

const MIGRATIONS = 'dist/src/migrations';
/** The files that a template depends on. A template is created again only if one of them changes. */
const SOURCES = [
  ...readdirSync(MIGRATIONS)
    .filter((file) => file.endsWith('.js'))
    .toSorted()
    .map((file) => join(MIGRATIONS, file)),
  'node_modules/@electric-sql/pglite/package.json',
  'node_modules/pg-boss/package.json',
];
/** Survives a build, which empties `dist`. */
const CACHE = 'node_modules/.cache/embedded-database';
const TEMPLATE = 'dist/embedded-database';

try {
  cpSync(join(await findOrCreate(), 'database'), TEMPLATE, { recursive: true });
} catch (error) {
  rmSync(TEMPLATE, { recursive: true, force: true });
  process.stderr.write(
    `The first start will run all migrations, because the build has no template: ${String(error)}\n`,
  );
}

async function findOrCreate(): Promise<string> {
  const hash = createHash('sha256');
  for (const file of SOURCES) hash.update(readFileSync(file));
  const directory = join(CACHE, hash.digest('hex'));
  if (existsSync(directory)) return directory;
  rmSync(CACHE, { recursive: true, force: true });
  mkdirSync(CACHE, { recursive: true });
  const DATA_DIR = mkdtempSync(join(CACHE, 'new-'));
  // Another account may build the service with the same packages.
  chmodSync(DATA_DIR, 0o755);
  const { status, stderr } = spawnSync(process.execPath, ['dist/src/cli/migrate.js'], {
    env: { PATH: process.env.PATH, DATA_DIR },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  await dropTemplates(join(DATA_DIR, 'database'));
  renameSync(DATA_DIR, directory);
  return directory;
}

/** Drops the templates of PostgreSQL, because no other database is created. Without them, half as many files are copied. */
async function dropTemplates(directory: string): Promise<void> {
  const database = await PGlite.create(directory);
  await database.exec(`update pg_database set datistemplate = false`);
  for (const name of ['template0', 'template1']) await database.exec(`drop database ${name}`);
  await database.exec('checkpoint');
  await database.close();
}
