import { decodeJwt, decodeProtectedHeader } from 'jose';
import { testEnvironment } from '../../../test/support/app/test-environment.js';
import type { TokenEnvironment } from '../../shared/config/env.js';
import { signToken, type SignTokenOptions } from './sign-token.js';

const sign = (request: SignTokenOptions, change: Partial<TokenEnvironment> = {}) =>
  signToken({ ...testEnvironment.token, ...change }, request);
const claimsOf = async (...given: Parameters<typeof sign>) => decodeJwt(await sign(...given));

it('says who, until when, and by which name it can be revoked', async () => {
  const token = await sign({ role: 'CLINIC', id: 7 });
  const { iat, ...claims } = decodeJwt(token);
  expect(decodeProtectedHeader(token)).toEqual({ alg: 'HS256', typ: 'JWT' });
  expect(claims).toEqual({ role: 'CLINIC', clinicId: 7, sub: 'clinic-7', jti: expect.any(String), exp: iat! + 3_600 });
  expect((await claimsOf({ role: 'CLINIC', id: 7 })).jti).not.toBe(claims.jti);
});

it.each([
  ['CARE_PROVIDER', { caregiverId: 7 }],
  ['CLIENT', { clientId: 7 }],
] as const)('names the record of a %s', async (role, expected) => {
  expect(await claimsOf({ role, id: 7 })).toMatchObject(expected);
});

it('names no record of an administrator', async () => {
  const claims = await claimsOf({ role: 'ADMIN' });
  expect(Object.keys(claims).sort()).toEqual(['exp', 'iat', 'jti', 'role', 'sub']);
  expect(claims.sub).toBe('admin-0');
});

it('asks for the record of everybody else', async () => {
  await expect(sign({ role: 'CLIENT' })).rejects.toThrow('A CLIENT token needs --id <clientId>.');
});

it('is for whom and from whom it is configured', async () => {
  const configured = { issuer: 'https://id.example.org', audience: 'care' };
  expect(await claimsOf({ role: 'ADMIN' }, configured)).toMatchObject({ iss: configured.issuer, aud: 'care' });
});

it('is for as long as it is asked for, and not longer than it would hold', async () => {
  const { iat, exp } = await claimsOf({ role: 'ADMIN', lifetime: '24h' });
  expect(exp! - iat!).toBe(86_400);
  await expect(sign({ role: 'ADMIN', lifetime: '86401s' })).rejects.toThrow(
    'A lifetime of 86401s is too long: JWT_MAX_LIFETIME is PT24H.',
  );
});

it('is shorter by itself where tokens may not last for an hour', async () => {
  for (const [longest, seconds] of [
    ['PT30M', 1_800],
    ['PT1H', 3_600],
    ['PT2H', 3_600],
    ['PT1.5S', 1],
  ] as const) {
    const { iat, exp } = decodeJwt(await sign({ role: 'ADMIN' }, { maxLifetime: Temporal.Duration.from(longest) }));
    expect([longest, exp! - iat!]).toEqual([longest, seconds]);
  }
});

it('is not signed where a key set verifies', async () => {
  const key = { kind: 'keySet', url: 'https://id.example.org/keys' } as const;
  await expect(sign({ role: 'ADMIN' }, { key })).rejects.toThrow('JWT_JWKS_URL');
});
