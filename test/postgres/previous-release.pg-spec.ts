import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TEST_JWT_SECRET } from '../support/app/test-app.js';

/*
 * While instances are replaced one by one, those of the release before run on the new schema. Here all of its own
 * end-to-end suite does, unchanged: the server's template1 gets this release's migrations, so that every database
 * that the older suite makes has them. It takes as long as that suite, the history of git and npm, so it runs when asked:
 *
 *   PREVIOUS_RELEASE=<tag or commit> npm run test:postgresql -- --testPathPatterns previous-release
 */

const release = process.env['PREVIOUS_RELEASE'];
/** Which of its tests: a pattern of paths. */
const tests = process.env['PREVIOUS_RELEASE_TESTS'] ?? 'e2e-spec';
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
      // Its own libraries, which may be others than ours.
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
    // Earlier releases have it as a dot file.
    existsSync(join(checkout, 'jest.config.mjs')) ? 'jest.config.mjs' : '.jest.config.mjs',
  ];
  const child = spawn(
    process.execPath,
    [...jest, '--selectProjects', 'postgresql', '--maxWorkers', '1', '--testPathPatterns', tests],
    {
      cwd: checkout,
      env: { PATH: process.env['PATH'], TZ: 'UTC', TEST_DATABASE_URL: server },
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output })));
}
