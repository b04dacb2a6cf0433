import { readClaim, writeClaim } from './claim-path.js';

it.each<[string, unknown]>([
  ['role', 'CLINIC'],
  ['realm_access.roles', ['a']],
  ['realm_access', { roles: ['a'] }],
  ['cognito:groups', ['b']],
  ['https://care.example.org/roles', ['c']],
  ['http://care.example.org/roles', ['d']],
  // Only a path that starts with `http://` or `https://` is treated as a URL.
  ['x-https://care.example', ['e']],
  ['extn.clinicId', ['7']],
  ['both.names', 'whole'],
  ['nothing', undefined],
  ['role.length', undefined],
  ['realm_access.nothing', undefined],
  ['nothing.at.all', undefined],
  ['none.at', undefined],
  ['realm_access.roles.0', undefined],
  ['constructor', undefined],
])('reads %s as %j', (path, expected) => {
  const claims = {
    role: 'CLINIC',
    realm_access: { roles: ['a'] },
    'cognito:groups': ['b'],
    'https://care.example.org/roles': ['c'],
    'http://care.example.org/roles': ['d'],
    'x-https://care': { example: ['e'] },
    'extn.clinicId': ['7'],
    'both.names': 'whole',
    both: { names: 'parts' },
    none: null,
  };
  expect(readClaim(claims, path)).toEqual(expected);
});

it('writes a claim, and keeps other members', () => {
  const claims = { realm_access: { name: 'realm' } };
  writeClaim(claims, 'realm_access.roles', ['CLINIC']);
  writeClaim(claims, 'a.b.c', 1);
  writeClaim(claims, 'https://care.example.org/roles', 2);
  expect(claims).toEqual({
    realm_access: { name: 'realm', roles: ['CLINIC'] },
    a: { b: { c: 1 } },
    'https://care.example.org/roles': 2,
  });
});
