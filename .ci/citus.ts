import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { findCitusLoadError } from '../test/support/database/citus.js';
import { runEndToEndTests } from './end-to-end-tests.js';

/*
 * npm run test:citus [-- <files>]: runs the end-to-end tests on a database that is distributed over a coordinator and two
 * workers. Uses the PostgreSQL of CITUS_PROGRAMS (the directory with `postgres` and `initdb`), or the first one of the
 * machine that has Citus.
 */

const DEBIAN = '/usr/lib/postgresql';

const given = process.env['CITUS_PROGRAMS'];
const programs = given ?? findCandidates().find(hasCitus);
// The tests of programs that are given fail if these cannot be used.
const loadError = given === undefined && programs !== undefined ? findCitusLoadError(programs) : undefined;
if (programs === undefined) {
  process.stdout.write('Skipped: no PostgreSQL with Citus (CITUS_PROGRAMS=<directory of its programs>).\n');
} else if (loadError !== undefined) {
  process.stdout.write(`Skipped: the PostgreSQL in ${programs} cannot use its Citus: ${loadError}\n`);
} else {
  runEndToEndTests('jest.citus.config.mjs', { CITUS_PROGRAMS: programs });
}

function findCandidates(): string[] {
  const { stdout, error } = spawnSync('pg_config', ['--bindir'], { encoding: 'utf8' });
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN) : [];
  return [...(error === undefined ? [stdout.trim()] : []), ...versions.map((version) => join(DEBIAN, version, 'bin'))];
}

function hasCitus(directory: string): boolean {
  const [, version] = /postgresql\/(\d+)\/bin$/.exec(directory) ?? [];
  const shares = [join(directory, '../share'), join(directory, `../../../../share/postgresql/${version}`)];
  return shares.some((share) => existsSync(join(share, 'extension/citus.control')));
}
