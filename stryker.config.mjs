import jestConfig from './jest.config.mjs';

const embedded = jestConfig.projects.find(({ displayName }) => displayName === 'embedded');

/** What all mutation testing has in common; `.ci/mutate.ts` says what is mutated, and which tests are to notice. */
export default {
  testRunner: 'jest',
  testRunnerNodeArgs: ['--experimental-vm-modules', '--no-warnings'],
  jest: {
    // Jest's own loader: a mutant must be in modules that are evaluated after it was chosen.
    config: { ...embedded, runtime: undefined, watchman: false },
    // The tests are named already; to find out which files import which takes longer than most of them.
    enableFindRelatedTests: false,
  },
  coverageAnalysis: 'perTest',
  // A change that makes a loop endless is seen, too; a machine that is busy is none.
  timeoutMS: 30_000,
  concurrency: 1,
  reporters: ['clear-text', process.stdout.isTTY ? 'progress' : 'progress-append-only'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  warnings: { slow: false },
  // Below what git, the checks and the tests pass over.
  tempDirName: '.data/mutation',
  ignorePatterns: ['.data', 'dist'],
  packageManager: 'npm',
};
