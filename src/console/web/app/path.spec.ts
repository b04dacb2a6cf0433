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
  ['/client/:id', '/client/abc', undefined],
  ['/client/:id', '/client/0', undefined],
  ['/client/:id', '/client/:id', undefined],
  ['/client/:id', '/client/%E0%A4%A', undefined],
  ['/plan/new', '/plan/new', {}],
  ['/', '/', {}],
])('matches %s with %s', (pattern, path, params) => {
  expect(matchPath(pattern, path)).toEqual(params);
});
