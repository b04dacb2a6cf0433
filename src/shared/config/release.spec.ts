import { readFileSync } from 'node:fs';
import { RELEASE } from './release.js';

it('is the version of package.json', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(RELEASE).toBe(version);
});
