import { execFileSync, spawnSync } from 'node:child_process';

/* Runs the end-to-end tests of an earlier release on the schema of this one: test/postgres/previous-release.pg-spec.ts. */

const USAGE = 'npm run test:previous-release [-- <tag or commit> [<pattern of test paths>]]';
const [release = findLastTag(), tests] = process.argv.slice(2);

const { status } = spawnSync('npm', ['run', 'test:postgresql', '--', 'test/postgres/previous-release'], {
  env: { ...process.env, PREVIOUS_RELEASE: release, ...(tests && { PREVIOUS_RELEASE_TESTS: tests }) },
  stdio: 'inherit',
});
process.exitCode = status ?? 1;

function findLastTag(): string {
  try {
    return execFileSync('git', ['describe', '--tags', '--abbrev=0'], { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    process.stderr.write(`The repository has no tag. Name a commit: ${USAGE}\n`);
    process.exit(2);
  }
}
