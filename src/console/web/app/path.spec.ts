import { matchPath, parseUrlHash } from './path.js';

it.each([
  ['', '/', ''],
  ['#/my-care', '/my-care', ''],
  ['#/client/7?tab=homework', '/client/7', 'tab=homework'],
])('reads %j', (hash, path, query) => {
  const location = parseUrlHash(hash);
  expect([location.path, location.query.toString()]).toEqual([path, query]);
});

it.each<[string, string, object | undefined]>([
  ['/client/:id', '/client/7', { id: '7' }],
  ['/client/:id', '/client/7/x', undefined],
  ['/client/:id', '/clients/7', undefined],
  ['/client/:id', '/client/%E0%A4%A', { id: '%E0%A4%A' }],
  ['/', '/', {}],
])('matches %s with %s', (pattern, path, params) => {
  expect(matchPath(pattern, path)).toEqual(params);
});
