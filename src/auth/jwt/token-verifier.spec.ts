import { jest } from '@jest/globals';
import { ServiceUnavailableException } from '@nestjs/common';
import { generateKeyPairSync, sign as signBytes } from 'node:crypto';
import { TEST_JWT_SECRET, testEnvironment } from '../../../test/support/app/test-environment.js';
import {
  encodeToken,
  hmacSigner,
  createHostileTokens,
  toPrivateKeyObject,
  rsaSigner,
  type TokenTarget,
} from '../../../test/support/http/hostile-tokens.js';
import { KeyServer, createKeyPair, toPublicJwk, type KeyPair } from '../../../test/support/http/key-server.js';
import { freezeSystemClock } from '../../../test/support/app/system-clock.js';
import type { TokenEnvironment } from '../../shared/config/env.js';
import { ForbiddenError, UnauthenticatedError } from '../../shared/errors/index.js';
import type { DenyList } from '../revocation/deny-list.js';
import { TokenVerifier } from './token-verifier.js';

/* Tests time limits to the second. test/auth/tokens and test/auth/hostile-tokens cover the service's responses. */

/** The current time in the tests, in seconds since 1970. */
const NOW = 1_800_000_000;
const DAY = 86_400;
const HEADER = { alg: 'HS256', typ: 'JWT' };
const CLAIMS = { role: 'CLINIC', clinicId: 7, sub: 'user-1', exp: NOW + 60 };

/** Mocks the lookup in the list of revoked tokens. */
const isRevoked = jest.fn<DenyList['isRevoked']>();
beforeEach(() => {
  isRevoked.mockReset().mockReturnValue(false);
  freezeSystemClock(NOW * 1000);
});
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

const verifierWith = (change: Partial<TokenEnvironment> = {}) =>
  new TokenVerifier({ ...testEnvironment, token: { ...testEnvironment.token, ...change } }, {
    isRevoked,
  } as unknown as DenyList);
const tokenOf = (claims: object = {}, header: object = {}) =>
  encodeToken({ ...HEADER, ...header }, { ...CLAIMS, ...claims }, hmacSigner(TEST_JWT_SECRET));

/** Returns whether a token is accepted. Rethrows any error other than a refusal. */
async function holds(token: string, verifier = verifierWith()): Promise<boolean> {
  try {
    await verifier.verify(token);
    return true;
  } catch (error) {
    if (error instanceof UnauthenticatedError) return false;
    throw error;
  }
}

describe('while the secret is replaced', () => {
  const OLD = 'Ujt5VmR1cV9zXk3qW8hBzN4yLp7sTfGd';
  const signWith = (secret: string) => encodeToken(HEADER, CLAIMS, hmacSigner(secret));
  const verifier = () => verifierWith({ key: { kind: 'secret', secret: TEST_JWT_SECRET, previous: OLD } });

  it('accepts tokens of both secrets', async () => {
    expect(await holds(signWith(TEST_JWT_SECRET), verifier())).toBe(true);
    expect(await holds(signWith(OLD), verifier())).toBe(true);
  });

  it('refuses tokens of a third secret, and of the previous one afterwards', async () => {
    expect(await holds(signWith('a third secret, which is long enough'), verifier())).toBe(false);
    expect(await holds(signWith(OLD))).toBe(false);
  });

  it('refuses a token whose claims are changed under the signature of the previous secret', async () => {
    const [header, , signature] = signWith(OLD).split('.');
    const claims = Buffer.from(JSON.stringify({ ...CLAIMS, clinicId: 8 })).toString('base64url');
    expect(await holds(`${header}.${claims}.${signature}`, verifier())).toBe(false);
  });
});

it('returns the principal without other claims', async () => {
  const principal = await verifierWith().verify(tokenOf({ admin: true, caregiverId: 8 }));
  expect(principal).toEqual({ role: 'CLINIC', subject: 'user-1', clinicId: 7 });
});

it.each<[string, boolean, object]>([
  ['ends in a second', true, { exp: NOW + 1 }],
  ['ends now', false, { exp: NOW }],
  ['has ended', false, { exp: NOW - 1 }],
  ['begins now', true, { nbf: NOW }],
  ['begins in a second', false, { nbf: NOW + 1 }],
  ['is for a day', true, { iat: NOW, exp: NOW + DAY }],
  ['is for a second more', false, { iat: NOW, exp: NOW + DAY + 1 }],
  ['is in its last second of a day', true, { iat: NOW + 1 - DAY, exp: NOW + 1 }],
  ['is in its last second of more', false, { iat: NOW - DAY, exp: NOW + 1 }],
  ['is for a day, and does not say from when', true, { exp: NOW + DAY }],
  ['is for a second more, and does not say from when', false, { exp: NOW + DAY + 1 }],
  ['was issued by a clock a minute ahead', true, { iat: NOW + 60, exp: NOW + 61 }],
  ['was issued at a fraction of a millisecond', true, { iat: NOW - 0.123_456_7, exp: NOW + 60 }],
  ['was issued by a clock a second more ahead', false, { iat: NOW + 61, exp: NOW + 62 }],
])('a token that %s: %s', async (_, expected, claims) => {
  expect(await holds(tokenOf(claims))).toBe(expected);
  // Fractions of a second make no difference.
  freezeSystemClock(NOW * 1000 + 999);
  expect(await holds(tokenOf(claims))).toBe(expected);
});

it('accepts lifetimes up to the configured one', async () => {
  const hour = verifierWith({ maxLifetime: Temporal.Duration.from('PT1H') });
  expect(await holds(tokenOf({ iat: NOW, exp: NOW + 3_600 }), hour)).toBe(true);
  expect(await holds(tokenOf({ iat: NOW, exp: NOW + 3_601 }), hour)).toBe(false);
});

it.each<[unknown, boolean]>([
  [undefined, true],
  ['jwt', true],
  ['JWT', true],
  ['at+jwt', true],
  ['AT+JWT', true],
  ['application/at+jwt', true],
  ['', false],
  ['secevent+jwt', false],
  ['application/jwt', false],
  [null, false],
  [1, false],
])('the type %j: %s', async (typ, expected) => {
  expect(await holds(tokenOf({}, { typ }))).toBe(expected);
});

it.each<[boolean, object]>([
  [true, { iss: 'https://id.example.org', aud: 'care' }],
  [true, { iss: 'https://id.example.org', aud: ['other', 'care'] }],
  [false, { iss: 'https://id.example.org', aud: ['other'] }],
  [false, { iss: 'https://id.example.org', aud: [] }],
  [false, { iss: 'https://id.example.org' }],
  [false, { iss: ['https://id.example.org'], aud: 'care' }],
  [false, { iss: 'https://id.example.org/', aud: 'care' }],
  [false, { aud: 'care' }],
])('with issuer and audience configured: %s for %j', async (expected, claims) => {
  const verifier = verifierWith({ issuer: 'https://id.example.org', audience: 'care' });
  expect(await holds(tokenOf(claims), verifier)).toBe(expected);
});

it('checks issuer and audience only if they are configured', async () => {
  const anywhere = { iss: 'https://elsewhere.example.org', aud: 'other' };
  expect(await holds(tokenOf(anywhere))).toBe(true);
  expect(await holds(tokenOf(anywhere), verifierWith({ issuer: 'https://id.example.org' }))).toBe(false);
  expect(await holds(tokenOf(anywhere), verifierWith({ audience: 'care' }))).toBe(false);
});

/** Signs the parts as they are, also if they are not canonical base64url. */
const signParts = (header: string, payload: string) =>
  `${header}.${payload}.${hmacSigner(TEST_JWT_SECRET)(`${header}.${payload}`).toString('base64url')}`;
const encodePart = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
/** Changes bits of the last character that decoding ignores. */
const withUnusedBits = (part: string) => part.replace(/.$/, (last) => String.fromCharCode(last.charCodeAt(0) + 1));
// The lengths leave unused bits in the last character of each part.
const [LOOSE_HEADER, LOOSE_PAYLOAD] = [HEADER, CLAIMS].map((part) =>
  ['', '1', '22'].map((more) => encodePart({ ...part, more })).find((text) => text.length % 4 !== 0),
) as [string, string];

it.each<[string, string]>([
  ['NOT_A_TOKEN', 'a.b'],
  ['NOT_A_TOKEN', `${tokenOf()}.x`],
  ['NOT_A_TOKEN', `!${tokenOf()}`],
  ['NOT_A_TOKEN', `${tokenOf()}!`],
  ['NOT_A_TOKEN', `${tokenOf()}=`],
  ['NOT_A_TOKEN', tokenOf({ more: 'x'.repeat(8_192) })],
  ['NOT_A_TOKEN', signParts(withUnusedBits(LOOSE_HEADER), LOOSE_PAYLOAD)],
  ['NOT_A_TOKEN', signParts(LOOSE_HEADER, withUnusedBits(LOOSE_PAYLOAD))],
  ['NOT_PLAIN_JSON', signParts(encodePart(null), encodePart(CLAIMS))],
  ['NOT_PLAIN_JSON', signParts(encodePart(HEADER), encodePart([CLAIMS]))],
  ['TYPE', tokenOf({}, { typ: 'secevent+jwt' })],
  ['EXTENSION', tokenOf({}, { crit: [] })],
  ['EXTENSION', tokenOf({}, { b64: true })],
  ['ALGORITHM', tokenOf({}, { alg: 'RS256' })],
  ['ALGORITHM', tokenOf({}, { alg: 'none' })],
  ['ALGORITHM', tokenOf({}, { alg: ['HS256'] })],
  ['SIGNATURE', encodeToken(HEADER, CLAIMS, hmacSigner('another secret'))],
  ['EXPIRED', tokenOf({ exp: NOW - 1 })],
  ['NOT_YET_VALID', tokenOf({ nbf: NOW + 1 })],
  ['LIFETIME', tokenOf({ exp: NOW + 2 * DAY })],
  ['ISSUER', tokenOf({ iss: 'https://other.example.org', aud: 'care' })],
  ['AUDIENCE', tokenOf({ iss: 'https://id.example.org', aud: 'other' })],
])('a token is refused for %s (case %#)', async (reason, token) => {
  const expected = { issuer: 'https://id.example.org', audience: 'care' };
  const verifier = verifierWith(['ISSUER', 'AUDIENCE'].includes(reason) ? expected : {});
  await expect(verifier.verify(token)).rejects.toMatchObject({ code: 'unauthenticated', reason });
});

it('accepts canonical parts with unused bits', async () => {
  expect(await holds(signParts(LOOSE_HEADER, LOOSE_PAYLOAD))).toBe(true);
});

it('accepts at most 8,192 characters', async () => {
  const long = (length: number): string => {
    const missing = length - tokenOf({ more: '' }).length;
    // A base64url part cannot have every length, so the header makes up for lengths that the payload cannot have.
    const tokens = [0, 1, 2].flatMap((kid) =>
      [0, 1, 2].map((less) =>
        tokenOf({ more: 'x'.repeat(Math.floor((missing * 3) / 4) - 10 - less) }, { kid: 'x'.repeat(kid) }),
      ),
    );
    return tokens.find((token) => token.length === length)!;
  };
  expect([await holds(long(8_192)), await holds(long(8_193))]).toEqual([true, false]);
});

it('refuses every hostile token', async () => {
  const claims = { ...CLAIMS, iss: 'https://id.example.org', aud: 'care', iat: NOW };
  const known = await createKeyPair('RS256');
  const target: TokenTarget = {
    alg: 'HS256',
    sign: hmacSigner(TEST_JWT_SECRET),
    known,
    claims,
    trap: 'http://127.0.0.1:1/',
  };
  const verifier = verifierWith({ issuer: claims.iss, audience: claims.aud });
  expect(await holds(encodeToken(HEADER, claims, target.sign), verifier)).toBe(true);
  const attacks = (await createHostileTokens(target)).filter(({ authorization }) => authorization === undefined);
  expect(attacks.length).toBeGreaterThan(150);
  const taken: string[] = [];
  for (const { title, token } of attacks) if (await holds(token, verifier)) taken.push(title);
  expect(taken).toEqual([]);
});

describe('a valid token', () => {
  it('is verified once, and its principal is frozen', async () => {
    const [verifier, token] = [verifierWith(), tokenOf()];
    const principal = await verifier.verify(token);
    expect(await verifier.verify(token)).toBe(principal);
    expect(Object.isFrozen(principal)).toBe(true);
  });

  it('is valid until it expires', async () => {
    const [verifier, token] = [verifierWith(), tokenOf()];
    expect(await holds(token, verifier)).toBe(true);
    freezeSystemClock(CLAIMS.exp * 1000 - 1);
    expect(await holds(token, verifier)).toBe(true);
    freezeSystemClock(CLAIMS.exp * 1000);
    expect(await holds(token, verifier)).toBe(false);
  });

  it('is refused once it is revoked, also from the cache', async () => {
    const [verifier, token, other] = [verifierWith(), tokenOf({ jti: 'revoked' }), tokenOf({ jti: 'other' })];
    expect(await holds(token, verifier)).toBe(true);
    isRevoked.mockImplementation(({ jti }) => jti === 'revoked');
    expect([await holds(token, verifier), await holds(other, verifier)]).toEqual([false, true]);
    expect(await holds(token)).toBe(false);
  });

  it('is compared with revocations by its id, its time and all that can name its holder', async () => {
    const [verifier, token] = [verifierWith(), tokenOf({ jti: 'name', iat: NOW - 5 })];
    await verifier.verify(token);
    await verifier.verify(token);
    const holderKeys = [' user-1', 'CLINIC 7', 'CLINIC 7 user-1'];
    const compared = expect.objectContaining({ jti: 'name', issuedAt: (NOW - 5) * 1000, holderKeys });
    expect(isRevoked.mock.calls).toEqual([[compared], [compared]]);
    isRevoked.mockClear();
    await verifier.verify(tokenOf());
    expect(isRevoked.mock.calls[0]).toEqual([expect.objectContaining({ jti: undefined, issuedAt: undefined })]);
  });

  it('is cached separately for each Acting-Role', async () => {
    const [verifier, token] = [verifierWith(), tokenOf({ role: ['CLINIC', 'ADMIN'] })];
    for (let times = 0; times < 2; times += 1) {
      expect(await verifier.verify(token, 'CLINIC')).toMatchObject({ role: 'CLINIC' });
      expect(await verifier.verify(token, 'ADMIN')).toEqual({ role: 'ADMIN', subject: 'user-1' });
      await expect(verifier.verify(token)).rejects.toMatchObject({ reason: 'ROLE' });
    }
    expect(verifier.findVerified(token, 'ADMIN')).toEqual({ role: 'ADMIN', subject: 'user-1' });
    expect([verifier.findVerified(token), verifier.findVerified(token, 'CLIENT')]).toEqual([undefined, undefined]);
  });

  it('is refused for its subject before its roles are checked', async () => {
    isRevoked.mockImplementation(({ holderKeys }) => holderKeys.length === 1 && holderKeys[0] === ' user-1');
    const token = tokenOf({ role: ['offline_access'] });
    await expect(verifierWith().verify(token, 'CLINIC')).rejects.toMatchObject({ reason: 'REVOKED' });
    await expect(verifierWith().verify(token)).rejects.toMatchObject({ reason: 'ROLE' });
  });

  it('does not reveal its roles once its holder is revoked', async () => {
    const token = tokenOf({ role: ['CLINIC', 'CARE_PROVIDER'], caregiverId: 8 });
    await expect(verifierWith().verify(token, 'CLIENT')).rejects.toBeInstanceOf(ForbiddenError);
    for (const revoked of [' user-1', 'CLINIC 7']) {
      isRevoked.mockImplementation(({ holderKeys }) => holderKeys.includes(revoked));
      await expect(verifierWith().verify(token, 'CLIENT')).rejects.toMatchObject({ reason: 'REVOKED' });
    }
    isRevoked.mockImplementation(({ holderKeys }) => holderKeys.includes('CLINIC 7'));
    expect(await verifierWith().verify(token, 'CARE_PROVIDER')).toMatchObject({ caregiverId: 8 });
  });

  it('is not accepted while the revoked tokens are unknown, with jti and without', async () => {
    isRevoked.mockImplementation(() => {
      throw new ServiceUnavailableException();
    });
    for (const token of [tokenOf(), tokenOf({ jti: 'name' })])
      await expect(holds(token)).rejects.toBeInstanceOf(ServiceUnavailableException);
  });
});

describe('with a key set', () => {
  const ecdsa = (pair: KeyPair) => (input: string) =>
    signBytes('sha256', Buffer.from(input), { key: toPrivateKeyObject(pair), dsaEncoding: 'ieee-p1363' });
  let [rsaPair, ecPair]: KeyPair[] = [];
  let keyServer: KeyServer;
  let verifier: TokenVerifier;
  beforeAll(async () => {
    [rsaPair, ecPair] = await Promise.all(['RS256', 'ES256'].map(createKeyPair));
  });
  beforeEach(async () => {
    keyServer = await KeyServer.start([
      await toPublicJwk(rsaPair!, 'rsa-1', 'RS256'),
      await toPublicJwk(ecPair!, 'ec-1', 'ES256'),
    ]);
    verifier = verifierWith({ key: { kind: 'keySet', url: keyServer.url } });
  });
  afterEach(() => keyServer.stop());

  it('accepts RS256 and ES256, but neither a shared secret nor an unknown key', async () => {
    expect(await holds(encodeToken({ alg: 'RS256', kid: 'rsa-1' }, CLAIMS, rsaSigner(rsaPair!)), verifier)).toBe(true);
    expect(await holds(encodeToken({ alg: 'ES256', kid: 'ec-1' }, CLAIMS, ecdsa(ecPair!)), verifier)).toBe(true);
    expect(await holds(encodeToken({ alg: 'ES256', kid: 'ec-2' }, CLAIMS, ecdsa(ecPair!)), verifier)).toBe(false);
    expect(await holds(tokenOf(), verifier)).toBe(false);
  });

  it('refuses an RSA key of less than 2,048 bits', async () => {
    const weak = generateKeyPairSync('rsa', { modulusLength: 1_024 });
    keyServer.keys = [{ ...weak.publicKey.export({ format: 'jwk' }), kid: 'weak', alg: 'RS256', use: 'sig' }];
    const token = encodeToken({ alg: 'RS256', kid: 'weak' }, CLAIMS, (input) =>
      signBytes('sha256', Buffer.from(input), weak.privateKey),
    );
    await expect(verifier.verify(token)).rejects.toMatchObject({ reason: 'WEAK_KEY' });
  });

  it('caches tokens while the keys are known', async () => {
    const token = encodeToken({ alg: 'ES256', kid: 'ec-1' }, CLAIMS, ecdsa(ecPair!));
    await verifier.verify(token);
    expect(await verifier.verify(token)).toBe(await verifier.verify(token));
  });

  it.each([1, 2])('refuses a token that was verified %i times before its key was withdrawn', async (times) => {
    const token = encodeToken({ alg: 'ES256', kid: 'ec-1' }, { ...CLAIMS, exp: NOW + DAY }, ecdsa(ecPair!));
    for (let time = 0; time < times; time += 1) expect(await holds(token, verifier)).toBe(true);
    keyServer.keys = keyServer.keys.slice(0, 1);
    freezeSystemClock((NOW + 11 * 60) * 1000);
    expect(await holds(token, verifier)).toBe(false);
  });
});
