import './.ci/node-version.cjs';
import { spawnSync } from 'node:child_process';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, join } from 'node:path';

// Tests run in UTC, and the pure ones once more somewhere else (jest.elsewhere.config.mjs).
process.env.TZ ??= 'UTC';

// Processes of the service that tests start, and Jest's workers, read compiled code from here: 0.4 s of CPU less per start.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'care-scheduling-compile-cache');

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
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    // Jest loads every module anew for each test file: the same code in two files instead of 650.
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

// What these look at is the same on both databases, or ends before them: once is enough, on the one that starts faster.
// EVERYTHING=1 runs them on both.
const onceIsEnough = [
  ...[
    'compose',
    'headers',
    'hostile-tokens',
    'identity-provider',
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
    'fuzz',
    'hostile-requests',
    'reminder-email',
    'reminder-preferences',
    'reminder-history',
    'reminder-webhook',
  ],
  ...['series-model', 'status-table', 'tokens'],
  // In the memory of the process, or words of a message: the database only keeps them.
  ...['audit-denials', 'metrics', 'reminder-digest', 'revoked-token'],
];

const SETUP_FILES = ['test-timeout', 'unobserved-deferred-failures'].map(
  (name) => `<rootDir>/test/support/jest/${name}.ts`,
);

/**
 * The same e2e suite runs on both databases; `*.pg-spec.ts` needs a real server. `*.attack-spec.ts` takes an hour and
 * tools of its own, and runs with jest.attack.config.mjs alone.
 */
export default {
  // Each worker keeps a core busy; beyond eight, the one PostgreSQL server is what all wait for.
  maxWorkers: Math.min(availableParallelism(), 8),
  // Jest keeps some of what each file has loaded: a worker that holds this much is replaced.
  workerIdleMemoryLimit: '2GB',
  reporters: ['default', '<rootDir>/test/support/jest/slowest-files.reporter.mjs'],
  projects: [
    { ...common, displayName: 'unit', testMatch: ['<rootDir>/src/**/*.spec.ts'] },
    {
      ...common,
      displayName: 'embedded',
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
      testMatch: ['<rootDir>/test/**/*.e2e-spec.ts', '<rootDir>/test/**/*.pg-spec.ts'],
      globals: { TEST_DATABASE: 'postgresql' },
      globalSetup: '<rootDir>/test/support/database/postgresql.setup.ts',
      globalTeardown: '<rootDir>/test/support/database/postgresql.teardown.ts',
      setupFilesAfterEnv: SETUP_FILES,
    },
  ],
};
