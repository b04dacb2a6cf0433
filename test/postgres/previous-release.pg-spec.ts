import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TEST_JWT_SECRET } from '../support/app/test-app.js';

/*
 * During a rolling upgrade, instances of the previous release run on the new schema. This test runs the unchanged
 * end-to-end suite of that release on it: template1 of the server gets the migrations of this release, so that each
 * database of the older suite has them. It needs the git history, npm and the time of that suite, so it runs only with
 * `npm run test:previous-release`, which names the release.
 */

const release = process.env['PREVIOUS_RELEASE'];
/** Pattern for the paths of the test files to run. */
const tests = process.env['PREVIOUS_RELEASE_TESTS'] ?? 'e2e-spec';
/** Files that compare all tables of the database with a list. Any new table or partition makes them fail. */
const ABOUT_ALL_TABLES = ['isolation\\.e2e', 'apply-atomic\\.e2e'];
const AN_HOUR = 3_600_000;

(release === undefined ? it.skip : it)(
  'the code of PREVIOUS_RELEASE passes its own tests on the schema of this one',
  async () => {
    const checkout = join(realpathSync(mkdtempSync(join(tmpdir(), 'previous-release-'))), 'care-scheduling');
    const git = (...words: string[]) => execFileSync('git', words, { encoding: 'utf8', stdio: 'pipe' });
    const server = process.env['TEST_SERVER_URL']!;
    const template = Object.assign(new URL(server), { pathname: '/template1' }).href;
    execFileSync(process.execPath, ['dist/src/cli/migrate.js'], {
      env: { PATH: process.env['PATH'], DATABASE_URL: template, JWT_SECRET: TEST_JWT_SECRET },
    });
    git('worktree', 'add', '--detach', checkout, release!);
    try {
      // The previous release may need other versions of its libraries, so they are installed.
      execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: checkout, stdio: 'pipe' });
      const { code, output } = await suiteOf(checkout, server);
      expect(code === 0 ? '' : output).toBe('');
      expect(output).toMatch(/^Tests: .*[1-9]\d* passed/m);
    } finally {
      git('worktree', 'remove', '--force', checkout);
    }
  },
  AN_HOUR,
);

function suiteOf(checkout: string, server: string): Promise<{ code: number | null; output: string }> {
  const jest = [
    '--experimental-vm-modules',
    '--no-warnings',
    'node_modules/jest/bin/jest.js',
    '--config',
    // Earlier releases have the Jest configuration in a dot file.
    existsSync(join(checkout, 'jest.config.mjs')) ? 'jest.config.mjs' : '.jest.config.mjs',
  ];
  const child = spawn(
    process.execPath,
    [
      ...jest,
      '--selectProjects',
      'postgresql',
      '--maxWorkers',
      '1',
      '--testPathPatterns',
      tests,
      '--testPathIgnorePatterns',
      ...ABOUT_ALL_TABLES,
    ],
    {
      cwd: checkout,
      env: { PATH: process.env['PATH'], TZ: 'UTC', TEST_DATABASE_URL: server },
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output })));
}
