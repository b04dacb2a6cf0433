import { PGlite } from '@electric-sql/pglite';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The root directory of the repository, in which npm runs every script. */
const root = process.cwd();

/** Builds the service, and creates the database that every test file loads, from the migrated one of the build. */
export default async function setup(): Promise<void> {
  if (process.env['TEST_BUILT'] === undefined)
    execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'pipe' });
  // Tells the set-up of the other project in the same run that the service has been built.
  process.env['TEST_BUILT'] = 'yes';
  const directory = mkdtempSync(join(tmpdir(), 'care-embedded-'));
  const files = join(directory, 'database');
  cpSync('dist/embedded-database', files, { recursive: true });
  const database = await PGlite.create(files);
  // Records the version of the time zone data as in postgresql.setup.ts, as if the service had already started.
  await database.query(`insert into zone_data (version, started_at, finished_at) values ($1, now(), now())`, [
    process.versions['tz'],
  ]);
  await database.exec('checkpoint');
  const template = join(directory, 'template.tar');
  writeFileSync(template, Buffer.from(await (await database.dumpDataDir('none')).arrayBuffer()));
  await database.close();
  // The test workers inherit the environment.
  process.env['TEST_EMBEDDED_TEMPLATE'] = template;
  Object.assign(globalThis, { embeddedTemplate: directory });
}
