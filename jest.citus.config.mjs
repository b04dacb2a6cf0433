import everything from './jest.config.mjs';

// npm run test:citus: the end-to-end tests on a database that is distributed over the workers of a Citus cluster.
const postgresql = everything.projects.find(({ displayName }) => displayName === 'postgresql');

export default {
  ...everything,
  projects: [
    {
      ...postgresql,
      displayName: 'citus',
      testMatch: [
        '<rootDir>/test/**/*.e2e-spec.ts',
        '<rootDir>/test/citus/*.citus-spec.ts',
        ...['cli/encryption-commands', 'cli/commands-without-keys', 'directory/zone-data'].map(
          (name) => `<rootDir>/test/${name}.pg-spec.ts`,
        ),
      ],
      globalSetup: '<rootDir>/test/support/database/citus.setup.ts',
      globalTeardown: '<rootDir>/test/support/database/citus.teardown.ts',
    },
  ],
};
