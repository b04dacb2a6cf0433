import './.ci/node-version.cjs';
import { spawnSync } from 'node:child_process';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, join } from 'node:path';

// Tests run in UTC, and the pure ones once more somewhere else (jest.elsewhere.config.mjs).
process.env.TZ ??= 'UTC';

// Processes that tests start cache compiled code here, and take 0.4 s of CPU less. Jest's workers do not: they would
// store each test file and its helpers again in each run.
process.env.TEST_COMPILE_CACHE ??= join(tmpdir(), 'care-scheduling-compile-cache');

// Jest loads ES modules only with this option of Node, which `npx jest` and the plug-ins of editors do not give it.
const ES_MODULES = '--experimental-vm-modules';
const isJest = ['jest', 'jest.js'].includes(basename(process.argv[1] ?? ''));
if (isJest && ![...process.execArgv, process.env.NODE_OPTIONS ?? ''].some((given) => given.includes(ES_MODULES))) {
  const args = [...process.execArgv, ES_MODULES, '--max-semi-space-size=64', '--no-warnings', ...process.argv.slice(1)];
  process.exit(spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1);
}

export const common = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  // `npm run start:dev` copies the package of the client, and Jest warns of two packages with one name.
  modulePathIgnorePatterns: ['<rootDir>/dist/src/client/'],
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    // Jest's own loader loads every module again for each test file. These are the same packages in two files instead of 650.
    '^rxjs(/operators)?$': '<rootDir>/node_modules/rxjs/dist/bundles/rxjs.umd.js',
    '^es-toolkit/compat$': '<rootDir>/test/support/jest/es-toolkit.cjs',
  },
  transform: {
    '\\.ts$': [
      '@swc/jest',
      {
        swcrc: false,
        sourceMaps: 'inline',
        jsc: {
          target: 'es2024',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: true },
          keepClassNames: true,
        },
        module: { type: 'es6' },
      },
    ],
  },
};

// The results of these files do not depend on the database, so they run on PostgreSQL only. EVERYTHING=1 runs them on both.
const onceIsEnough = [
  ...[
    'compose',
    'compression',
    'conditional-reads',
    'headers',
    'hostile-tokens',
    'identity-provider',
    'if-match',
    'image',
    'key-set',
    'limits',
    'openapi',
    'overload',
    'raw-http',
  ],
  ...[
    'access',
    'refusal-before-body',
    'strict-input',
    'prefer',
    'fuzz',
    'hostile-requests',
    'reminder-email',
    'reminder-preferences',
    'reminder-history',
    'reminder-webhook',
  ],
  ...['series-model', 'status-table', 'tokens'],
  ...['client-faults', 'client-package'],
  // Times, texts and orders that the service computes, and statements that other files run on both databases.
  ...['apply-plan-times', 'calendar', 'directory-at-scale', 'directory-search', 'read-design-plan'],
  ...['audit', 'audit-verify', 'deactivation', 'design-plan-lifecycle', 'series-list', 'series-order', 'zone-data'],
  ...['care-provider-reading', 'clinic-booking'],
  // State in memory, or texts of messages, which the database only stores.
  ...['audit-denials', 'metrics', 'reminder-digest', 'revoked-token'],
];

/** Evaluates the modules of the service once for all test files of a worker (docs/adr/0012-modules-of-test-files.md). */
const NATIVE_MODULES = '<rootDir>/test/support/jest/native-modules.runtime.mjs';

const toSetupFile = (name) => `<rootDir>/test/support/jest/${name}.ts`;
const SETUP_FILES = ['temporal-equality', 'test-timeout', 'unobserved-deferred-failures'].map(toSetupFile);

/**
 * `*.e2e-spec.ts` runs on both databases, `*.pg-spec.ts` on a PostgreSQL server. `*.attack-spec.ts` takes an hour and needs
 * sqlmap, so it runs only with jest.attack.config.mjs.
 */
export default {
  // One more than cores, because a fifth of the time files wait, such as for a retry. With more than eight, the shared
  // PostgreSQL server is the bottleneck.
  maxWorkers: Math.min(availableParallelism() + 1, 8),
  // Jest does not free all modules of earlier files. A worker above this size is restarted.
  workerIdleMemoryLimit: '2GB',
  testSequencer: '<rootDir>/test/support/jest/longest-first.sequencer.mjs',
  reporters: ['default', '<rootDir>/test/support/jest/slowest-files.reporter.mjs'],
  projects: [
    {
      ...common,
      displayName: 'unit',
      testMatch: ['<rootDir>/{src,.ci}/**/*.spec.ts'],
      setupFilesAfterEnv: [toSetupFile('temporal-equality')],
    },
    {
      ...common,
      displayName: 'embedded',
      runtime: NATIVE_MODULES,
      testMatch: ['<rootDir>/test/**/*.e2e-spec.ts'],
      testPathIgnorePatterns: process.env.EVERYTHING ? [] : [`/test/[^/]+/(${onceIsEnough.join('|')})\\.e2e-spec`],
      globals: { TEST_DATABASE: 'embedded' },
      globalSetup: '<rootDir>/test/support/database/embedded.setup.ts',
      globalTeardown: '<rootDir>/test/support/database/embedded.teardown.ts',
      setupFilesAfterEnv: SETUP_FILES,
    },
    {
      ...common,
      displayName: 'postgresql',
      runtime: NATIVE_MODULES,
      testMatch: ['<rootDir>/test/**/*.e2e-spec.ts', '<rootDir>/test/**/*.pg-spec.ts'],
      // A browser opens the demonstration, which only the embedded database has.
      testPathIgnorePatterns: ['/test/browser/', '/test/console/.*\\.e2e-spec'],
      globals: { TEST_DATABASE: 'postgresql' },
      globalSetup: '<rootDir>/test/support/database/postgresql.setup.ts',
      globalTeardown: '<rootDir>/test/support/database/postgresql.teardown.ts',
      setupFilesAfterEnv: SETUP_FILES,
    },
  ],
};
