import everything from './jest.config.mjs';

// npm run test:pgbouncer: the end-to-end tests with PgBouncer in transaction mode between the service and PostgreSQL.
// Connections of migrations and of the tests themselves are direct.
const postgresql = everything.projects.find(({ displayName }) => displayName === 'postgresql');

export default {
  ...everything,
  projects: [
    {
      ...postgresql,
      displayName: 'pgbouncer',
      testMatch: ['<rootDir>/test/**/*.e2e-spec.ts', '<rootDir>/test/pooler/*.pooler-spec.ts'],
      globalSetup: '<rootDir>/test/support/database/pgbouncer.setup.ts',
      globalTeardown: '<rootDir>/test/support/database/pgbouncer.teardown.ts',
    },
  ],
};
