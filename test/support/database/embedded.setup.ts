import { PGlite } from '@electric-sql/pglite';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The root directory of the repository, in which npm runs every script. */
const root = process.cwd();

/** Builds the service, and creates the migrated database that every test file loads. */
export default async function setup(): Promise<void> {
  if (process.env['TEST_BUILT'] === undefined)
    execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'pipe' });
  // Tells the set-up of the other project in the same run that the service has been built.
  process.env['TEST_BUILT'] = 'yes';
  const directory = mkdtempSync(join(tmpdir(), 'care-embedded-'));
  const DATA_DIR = join(directory, 'data');
  execFileSync(process.execPath, ['dist/src/cli/migrate.js'], {
    cwd: root,
    env: { ...process.env, DATA_DIR, DATABASE_URL: '' },
    stdio: 'pipe',
  });
  const database = await PGlite.create(join(DATA_DIR, 'database'));
  // Records the version of the time zone data as in postgresql.setup.ts, as if the service had already started.
  await database.query(`insert into zone_data (version, started_at, finished_at) values ($1, now(), now())`, [
    process.versions['tz'],
  ]);
  // The templates of PostgreSQL are dropped, because no test creates a database. Without them, the archive has half as
  // many files to unpack.
  await database.exec(`update pg_database set datistemplate = false`);
  for (const name of ['template0', 'template1']) await database.exec(`drop database ${name}`);
  await database.exec('checkpoint');
  const template = join(directory, 'template.tar');
  writeFileSync(template, Buffer.from(await (await database.dumpDataDir('none')).arrayBuffer()));
  await database.close();
  // The test workers inherit the environment.
  process.env['TEST_EMBEDDED_TEMPLATE'] = template;
  Object.assign(globalThis, { embeddedTemplate: directory });
}
