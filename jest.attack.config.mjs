import everything from './jest.config.mjs';

// Takes an hour and needs sqlmap: `npm run attack:sql`.
const postgresql = everything.projects.find(({ displayName }) => displayName === 'postgresql');

export default {
  ...everything,
  projects: [
    {
      ...postgresql,
      displayName: 'attack',
      testMatch: ['<rootDir>/test/**/*.attack-spec.ts'],
    },
  ],
};
