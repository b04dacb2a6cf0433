import config, { common } from './jest.config.mjs';

// Takes an hour and needs sqlmap: `npm run attack:sql`.
export default {
  ...config,
  projects: [
    {
      ...common,
      displayName: 'attack',
      testMatch: ['<rootDir>/test/**/*.attack-spec.ts'],
      globals: { TEST_DATABASE: 'postgresql' },
      globalSetup: '<rootDir>/test/support/database/postgresql.setup.ts',
      globalTeardown: '<rootDir>/test/support/database/postgresql.teardown.ts',
    },
  ],
};
