import jestConfig from './jest.config.mjs';

// Without `runtime`, Jest's own loader evaluates the modules again for each mutant. `.ci/mutate.ts` creates the database once.
const {
  runtime: _runtime,
  globalSetup: _setup,
  globalTeardown: _teardown,
  ...settings
} = jestConfig.projects.find(({ displayName }) => displayName === 'embedded');

/** The settings of all mutation tests. `.ci/mutate.ts` lists the mutated sources and their tests. */
export default {
  testRunner: 'jest',
  testRunnerNodeArgs: ['--experimental-vm-modules', '--no-warnings'],
  jest: {
    // Stryker adds these settings to those of `jest.config.mjs`, whose projects would also run.
    config: { ...settings, projects: [], testPathIgnorePatterns: [], watchman: false },
    // `.ci/mutate.ts` names the tests. Finding the files that import a source takes longer than most tests.
    enableFindRelatedTests: false,
  },
  coverageAnalysis: 'perTest',
  // Long enough for a busy machine. A mutant with an endless loop exceeds it.
  timeoutMS: 30_000,
  concurrency: 1,
  reporters: ['clear-text', process.stdout.isTTY ? 'progress' : 'progress-append-only'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  warnings: { slow: false },
  // Git, the checks and the tests ignore this directory.
  tempDirName: '.data/mutation',
  ignorePatterns: ['.data', 'dist'],
  packageManager: 'npm',
};
