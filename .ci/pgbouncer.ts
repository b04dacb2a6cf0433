import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { runEndToEndTests } from './end-to-end-tests.js';

/*
 * npm run test:pgbouncer [-- <files>]: runs the end-to-end tests with PgBouncer in transaction mode between the service and
 * PostgreSQL. Uses the PgBouncer of PGBOUNCER or of the path if it is new enough. Otherwise it builds one from the source
 * package of a newer Debian, which needs Debian, `libevent-dev` and a compiler. PGBOUNCER_BUILD=off skips the tests instead.
 */

const VERSION = '1.24.1';
/** Older versions do not support prepared statements in transaction mode. */
const MINIMUM = [1, 21];
/** The suite of Debian whose source package has `VERSION`. */
const SUITE = 'trixie';
const ARCHIVE = `pgbouncer_${VERSION}.orig.tar.gz`;
const SHA256 = 'da72a3aba13072876d055a3e58dd4aba4a5de4ed6148e73033185245598fd3e0';
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
const BUILT = resolve('.data', `pgbouncer-${VERSION}`);

const program = [process.env['PGBOUNCER'], 'pgbouncer', BUILT].find(isUsable) ?? buildIfAllowed();
if (program === undefined) {
  process.stdout.write(
    'Skipped: no PgBouncer 1.21 or newer (PGBOUNCER=<path>, or Debian with libevent-dev and gcc).\n',
  );
} else {
  runEndToEndTests('jest.pgbouncer.config.mjs', { PGBOUNCER: program });
}

function buildIfAllowed(): string | undefined {
  return process.env['PGBOUNCER_BUILD'] === 'off' ? undefined : build();
}

function isUsable(path: string | undefined): path is string {
  if (path === undefined) return false;
  const { stdout, error } = spawnSync(path, ['--version'], { encoding: 'utf8' });
  if (error !== undefined) return false;
  const [, major, minor] = /^PgBouncer (\d+)\.(\d+)/.exec(stdout) ?? [];
  return Number(major) > MINIMUM[0]! || (Number(major) === MINIMUM[0]! && Number(minor) >= MINIMUM[1]!);
}

/** Returns the path of the program, or undefined if this machine cannot build it. */
function build(): string | undefined {
  const tools = ['apt-get', 'gcc', 'make', 'pkg-config'];
  if (tools.some((tool) => spawnSync(tool, ['--version']).error !== undefined) || !existsSync(KEYRING))
    return undefined;
  if (spawnSync('pkg-config', ['--exists', 'libevent']).status !== 0) {
    if (process.getuid?.() !== 0) return undefined;
    run('apt-get', ['install', '--yes', '-qq', 'libevent-dev']);
  }
  process.stdout.write(`Building PgBouncer ${VERSION} …\n`);
  const directory = mkdtempSync(join(tmpdir(), 'pgbouncer-'));
  try {
    downloadSource(directory);
    run('tar', ['xzf', ARCHIVE], directory);
    const source = join(directory, `pgbouncer-${VERSION}`);
    run('./configure', ['--without-openssl', '--without-cares', '--disable-debug'], source);
    run('make', ['-j', String(availableParallelism()), 'pgbouncer'], source);
    mkdirSync('.data', { recursive: true });
    run('cp', [join(source, 'pgbouncer'), `${BUILT}.new`]);
    renameSync(`${BUILT}.new`, BUILT);
  } finally {
    rmSync(directory, { recursive: true });
  }
  return BUILT;
}

/** Downloads the source package with apt, from the mirror that the machine uses, with lists of its own. */
function downloadSource(directory: string): void {
  const targets = ['indextargets', '--format', '$(REPO_URI) $(COMPONENT)', 'Created-By: Packages', 'Origin: Debian'];
  const mirror = run('apt-get', targets)
    .split('\n')
    .find((line) => line.endsWith(' main'))
    ?.split(' ')[0];
  if (mirror === undefined) throw new Error('apt has no mirror of Debian. Run apt-get update first.');
  const sources = join(directory, 'sources.list');
  writeFileSync(sources, `deb-src [signed-by=${KEYRING}] ${mirror} ${SUITE} main\n`);
  for (const folder of ['lists/partial', 'cache/archives/partial'])
    mkdirSync(join(directory, folder), { recursive: true });
  const options = [
    `Dir::State::lists=${directory}/lists`,
    `Dir::Cache=${directory}/cache`,
    `Dir::Etc::sourcelist=${sources}`,
    'Dir::Etc::sourceparts=/dev/null',
    // The directory belongs to the caller, and apt's own account may not write to it.
    'APT::Sandbox::User=root',
  ].flatMap((option) => ['-o', option]);
  run('apt-get', [...options, '-qq', 'update'], directory);
  run('apt-get', [...options, '-qq', '--download-only', 'source', 'pgbouncer'], directory);
  const digest = createHash('sha256')
    .update(readFileSync(join(directory, ARCHIVE)))
    .digest('hex');
  if (digest !== SHA256) throw new Error(`${ARCHIVE} has the checksum ${digest} instead of ${SHA256}`);
}

function run(command: string, words: readonly string[], cwd = process.cwd()): string {
  return execFileSync(command, words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
