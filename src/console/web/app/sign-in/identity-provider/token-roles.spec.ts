import { readTokenRoles } from './token-roles.js';

/** Encodes a text in base64url, which has no padding, and `-` and `_` instead of `+` and `/`. */
const encode = (text: string) =>
  btoa(String.fromCharCode(...new TextEncoder().encode(text)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
const toToken = (claims: unknown) => `x.${encode(JSON.stringify(claims))}.y`;

it.each<[string, unknown, string, string[]]>([
  ['one role', { role: 'clinic' }, 'role', ['CLINIC']],
  ['several roles', { role: ['CLINIC', 'offline_access', 'CareProvider'] }, 'role', ['CLINIC', 'CARE_PROVIDER']],
  ['a path', { realm_access: { roles: ['ROLE_CLIENT'] } }, 'realm_access.roles', ['CLIENT']],
  ['a claim named by a URL', { 'https://care.example/roles': ['Admin'] }, 'https://care.example/roles', ['ADMIN']],
  ['letters beyond ASCII', { name: 'Zoë', roles: 'clinic' }, 'roles', ['CLINIC']],
  ['no role', { role: 'guest' }, 'role', []],
])('reads %s', (_, claims, path, expected) => {
  expect(readTokenRoles(toToken(claims), path)).toEqual(expected);
});

it.each(['', 'opaque', 'a.b.c', `x.${encode('null')}.y`])('finds no role in %j', (token) => {
  expect(readTokenRoles(token, 'role')).toEqual([]);
});
