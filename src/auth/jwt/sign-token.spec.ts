import { jest } from '@jest/globals';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { testEnvironment } from '../../../test/support/app/test-environment.js';
import type { TokenEnvironment } from '../../shared/config/env.js';
import { signToken, type SignTokenOptions } from './sign-token.js';

// The clock stands still: if it ticks between the expiry and `iat`, the lifetime is a second shorter.
beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] }));
afterEach(() => jest.useRealTimers());

const sign = (request: SignTokenOptions, change: Partial<TokenEnvironment> = {}) =>
  signToken({ ...testEnvironment.token, ...change }, request);
const claimsOf = async (...given: Parameters<typeof sign>) => decodeJwt(await sign(...given));

it('contains role, record id, subject, expiry and id', async () => {
  const token = await sign({ role: 'CLINIC', id: 7 });
  const { iat, ...claims } = decodeJwt(token);
  expect(decodeProtectedHeader(token)).toEqual({ alg: 'HS256', typ: 'JWT' });
  expect(claims).toEqual({ role: 'CLINIC', clinicId: 7, sub: 'clinic-7', jti: expect.any(String), exp: iat! + 3_600 });
  expect((await claimsOf({ role: 'CLINIC', id: 7 })).jti).not.toBe(claims.jti);
});

it.each([
  ['CARE_PROVIDER', { caregiverId: 7 }],
  ['CLIENT', { clientId: 7 }],
] as const)('contains the record id of a %s', async (role, expected) => {
  expect(await claimsOf({ role, id: 7 })).toMatchObject(expected);
});

it('contains no record id for an administrator', async () => {
  const claims = await claimsOf({ role: 'ADMIN' });
  expect(Object.keys(claims).sort()).toEqual(['exp', 'iat', 'jti', 'role', 'sub']);
  expect(claims.sub).toBe('admin-0');
});

it.each(['1x', '', '1 fortnight', '0s', '1h ago', '-5m'])(
  'names the option of the lifetime %j, which is none',
  async (lifetime) => {
    await expect(sign({ role: 'ADMIN', lifetime })).rejects.toThrow(
      `--ttl must be a lifetime such as 90s or 1h, not "${lifetime}"`,
    );
  },
);

it('requires a record id for every other role', async () => {
  await expect(sign({ role: 'CLIENT' })).rejects.toThrow('A CLIENT token needs --id <clientId>.');
});

it('contains the configured issuer and audience', async () => {
  const configured = { issuer: 'https://id.example.org', audience: 'care' };
  expect(await claimsOf({ role: 'ADMIN' }, configured)).toMatchObject({ iss: configured.issuer, aud: 'care' });
});

it('has the requested lifetime, up to JWT_MAX_LIFETIME', async () => {
  const { iat, exp } = await claimsOf({ role: 'ADMIN', lifetime: '24h' });
  expect(exp! - iat!).toBe(86_400);
  await expect(sign({ role: 'ADMIN', lifetime: '86401s' })).rejects.toThrow(
    'A lifetime of 86401s is too long: JWT_MAX_LIFETIME is PT24H.',
  );
});

it('has a default lifetime of an hour, or of JWT_MAX_LIFETIME if that is shorter', async () => {
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

it('is not signed if tokens are verified with a key set', async () => {
  const key = { kind: 'keySet', url: 'https://id.example.org/keys' } as const;
  await expect(sign({ role: 'ADMIN' }, { key })).rejects.toThrow('JWT_JWKS_URL');
});
