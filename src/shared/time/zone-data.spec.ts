import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findTimeZoneDataProblem } from './zone-data.js';

const FIXTURES = 'test/fixtures/zone-data';
const damaged = mkdtempSync(join(tmpdir(), 'zone-data-'));
writeFileSync(join(damaged, 'zoneinfo64.res'), 'no resource');
afterAll(() => rmSync(damaged, { recursive: true }));

it.each([
  ['no directory', undefined, '2026c', undefined],
  ['no data at all', undefined, '', /^must name time zone data/],
  ['the data in use', `${FIXTURES}/2026e`, '2026e', undefined],
  ['data that is not in use', `${FIXTURES}/2026e`, '2026c', /: it holds 2026e, and 2026c is in use$/],
  ['data that could not be read', `${FIXTURES}/2026a`, '', /: it holds 2026a, and none is in use$/],
  ['a directory that is missing', '/nowhere', '2026c', /^must be a directory with ICU's zoneinfo64.res/],
  ['a directory without data', tmpdir(), '2026c', /^must be a directory with ICU's zoneinfo64.res/],
  ['a damaged file', damaged, '', /^must hold time zone data that can be read/],
])('%s', (_what, directory, version, expected) => {
  const problem = findTimeZoneDataProblem(directory, version);
  if (expected === undefined) expect(problem).toBeUndefined();
  else expect(problem).toMatch(expected);
});
