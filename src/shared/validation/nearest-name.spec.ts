import { findNearestName } from './nearest-name.js';

const KNOWN = ['limit', 'cursor', 'dryRun', 'clientId', 'from', 'to'];

it.each([
  ['dryrun', 'dryRun'],
  ['dry_run', 'dryRun'],
  ['DRYRUN', 'dryRun'],
  ['limt', 'limit'],
  ['cusror', 'cursor'],
  ['form', 'from'],
  ['client_id', 'clientId'],
  ['clientIds', 'clientId'],
  ['page', undefined],
  ['x', undefined],
  ['', undefined],
  ['l'.repeat(10_000), undefined],
])('the name nearest to %s is %s', (wrong, nearest) => {
  expect(findNearestName(wrong, KNOWN)).toBe(nearest);
});

it('is undefined if no names are known', () => {
  expect(findNearestName('limit', [])).toBeUndefined();
});
