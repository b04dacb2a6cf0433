import { jest } from '@jest/globals';
import { ServiceUnavailableException } from '@nestjs/common';
import { exportJWK } from 'jose';
import type { DenyList } from '../../src/auth/revocation/deny-list.js';
import { TokenVerifier } from '../../src/auth/jwt/token-verifier.js';
import { UnauthenticatedError } from '../../src/shared/errors/index.js';
import { testEnvironment } from '../support/app/test-environment.js';
import { encodeToken, SECONDS_PER_HOUR, hmacSigner, rsaSigner, nowInSeconds } from '../support/http/hostile-tokens.js';
import { KeyServer, createKeyPair, toPublicJwk, type KeyPair } from '../support/http/key-server.js';
import { freezeSystemClock, releaseSystemClock } from '../support/app/system-clock.js';

/*
 * Tests how often the key set is fetched, and which tokens are accepted while the identity provider does not respond.
 */

let pair: KeyPair;
let keyServer: KeyServer;
let verifier: TokenVerifier;
beforeAll(async () => {
  pair = await createKeyPair('RS256');
});
beforeEach(async () => {
  keyServer = await KeyServer.start([await toPublicJwk(pair, 'rsa-1', 'RS256')]);
  const token = { ...testEnvironment.token, key: { kind: 'keySet' as const, url: keyServer.url } };
  verifier = new TokenVerifier({ ...testEnvironment, token }, { isRevoked: () => false } as unknown as DenyList);
});
afterEach(async () => {
  jest.restoreAllMocks();
  await keyServer.stop();
});

const tokenOf = (kid: string, sub = 'person') =>
  encodeToken({ alg: 'RS256', kid }, { role: 'ADMIN', sub, exp: nowInSeconds() + SECONDS_PER_HOUR }, rsaSigner(pair));
/** Returns the status with which the service would respond; tokens.e2e-spec.ts tests the responses. */
const status = (token: string) =>
  verifier.verify(token).then(
    () => 200,
    (error: unknown) => {
      if (error instanceof UnauthenticatedError) return 401;
      if (error instanceof ServiceUnavailableException) return 503;
      throw error;
    },
  );
const flood = async (count: number) =>
  new Set(await Promise.all(Array.from({ length: count }, (_, index) => status(tokenOf(`unknown-${index}`)))));

/** Freezes the system clock at an offset from now. */
function shift(duration: Temporal.DurationLike): void {
  jest.restoreAllMocks();
  const then = Temporal.Now.instant().add(duration);
  jest.spyOn(Date, 'now').mockImplementation(() => then.epochMilliseconds);
  jest.spyOn(Temporal.Now, 'instant').mockImplementation(() => then);
}

it('is fetched once for many concurrent requests', async () => {
  const statuses = await Promise.all(Array.from({ length: 50 }, () => status(tokenOf('rsa-1'))));
  expect([new Set(statuses), keyServer.requestCount]).toEqual([new Set([200]), 1]);
});

it('is fetched at most once in 30 s for many unknown key ids', async () => {
  expect(await status(tokenOf('rsa-1'))).toBe(200);
  shift({ seconds: 29 });
  expect([await flood(200), keyServer.requestCount]).toEqual([new Set([401]), 1]);
  shift({ seconds: 31 });
  expect([await flood(200), keyServer.requestCount]).toEqual([new Set([401]), 2]);
  expect([await flood(200), keyServer.requestCount]).toEqual([new Set([401]), 2]);
});

it('is fetched at most once in 30 s while fetching fails', async () => {
  expect(await status(tokenOf('rsa-1'))).toBe(200);
  keyServer.handler = (_request, response) => response.writeHead(500).end();
  shift({ seconds: 31 });
  for (let round = 0; round < 20; round += 1) expect(await status(tokenOf(`unknown-${round}`))).toBe(503);
  expect(keyServer.requestCount).toBe(2);
});

describe('at exact times', () => {
  const START = 1_800_000_000_000;
  /** Stops the clock at this number of milliseconds after the keys were fetched. */
  const at = (milliseconds: number) => freezeSystemClock(START + milliseconds);
  const [TEN_MINUTES, COOLDOWN] = [600_000, 30_000];
  const fail: KeyServer['handler'] = (_request, response) => response.writeHead(500).end();
  beforeEach(async () => {
    at(0);
    expect(await status(tokenOf('rsa-1'))).toBe(200);
  });
  afterEach(releaseSystemClock);

  it('is fetched again after ten minutes, and every 30 s while it does not respond', async () => {
    keyServer.handler = fail;
    const asked: number[] = [];
    for (const moment of [TEN_MINUTES - 1, TEN_MINUTES, TEN_MINUTES + COOLDOWN - 1, TEN_MINUTES + COOLDOWN]) {
      at(moment);
      expect(await status(tokenOf('rsa-1', `person ${moment}`))).toBe(200);
      asked.push(keyServer.requestCount);
    }
    expect(asked).toEqual([1, 2, 2, 3]);
  });

  it('is fetched every 30 s for unknown keys while it does not respond', async () => {
    keyServer.handler = fail;
    const asked: number[] = [];
    for (const moment of [COOLDOWN + 1, 2 * COOLDOWN, 2 * COOLDOWN + 1]) {
      at(moment);
      expect(await status(tokenOf('unknown'))).toBe(503);
      asked.push(keyServer.requestCount);
    }
    expect(asked).toEqual([2, 2, 3]);
  });

  it('delays one caller, while others use the cached keys', async () => {
    at(TEN_MINUTES);
    let answerLate!: () => void;
    const isAsked = new Promise<void>((resolve) => {
      const { handler } = keyServer;
      keyServer.handler = (request, response) => {
        answerLate = () => handler(request, response);
        resolve();
      };
    });
    const first = status(tokenOf('rsa-1', 'first'));
    await Promise.race([isAsked, first]);
    let hasAnswered = false;
    void first.then(() => (hasAnswered = true));
    expect([await status(tokenOf('rsa-1', 'second')), hasAnswered]).toEqual([200, false]);
    answerLate();
    expect([await first, keyServer.requestCount]).toEqual([200, 2]);
  });
});

it.each([
  [200, 262_144],
  [503, 262_145],
])('answers %i to a token when it has %i bytes', async (expected, length) => {
  keyServer.handler = (_request, response) => response.end(JSON.stringify({ keys: keyServer.keys }).padEnd(length));
  expect(await status(tokenOf('rsa-1'))).toBe(expected);
});

it.each([201, 204, 404, 500])('causes 503 if it responds with %i, even with valid keys', async (code) => {
  keyServer.handler = (_request, response) => response.writeHead(code).end(JSON.stringify({ keys: keyServer.keys }));
  expect(await status(tokenOf('rsa-1'))).toBe(503);
});

it('is fetched at most every 5 s until the first success', async () => {
  const { handler } = keyServer;
  keyServer.handler = (_request, response) => response.writeHead(500).end();
  for (let round = 0; round < 5; round += 1) expect(await status(tokenOf('rsa-1'))).toBe(503);
  expect(keyServer.requestCount).toBe(1);
  keyServer.handler = handler;
  shift({ seconds: 6 });
  expect([await status(tokenOf('rsa-1')), keyServer.requestCount]).toEqual([200, 2]);
});

it('may be unavailable for hours once its keys are cached, but not for more than a day', async () => {
  expect(await status(tokenOf('rsa-1'))).toBe(200);
  await keyServer.stop();
  shift({ minutes: 11 });
  for (const subject of ['one', 'two']) expect(await status(tokenOf('rsa-1', subject))).toBe(200);
  shift({ hours: 23 });
  expect(await status(tokenOf('rsa-1'))).toBe(200);
  shift({ hours: 25 });
  expect(await status(tokenOf('rsa-1'))).toBe(503);
});

it('no longer contains a withdrawn key: tokens that were verified with it are refused', async () => {
  const token = tokenOf('rsa-1');
  expect([await status(token), await status(token)]).toEqual([200, 200]);
  keyServer.keys = [await toPublicJwk(await createKeyPair('RS256'), 'rsa-1', 'RS256')];
  shift({ minutes: 11 });
  expect([await status(token), keyServer.requestCount]).toEqual([401, 2]);
});

it('is fetched again when the clock, which was an hour ahead, is corrected', async () => {
  shift({ hours: 1 });
  expect(await status(tokenOf('rsa-1'))).toBe(200);
  shift({ hours: 0 });
  keyServer.keys = [await toPublicJwk(pair, 'rsa-2', 'RS256')];
  expect([await status(tokenOf('rsa-2')), await status(tokenOf('rsa-1', 'other'))]).toEqual([200, 401]);
  expect(keyServer.requestCount).toBe(2);
});

it('is fetched at most once in 30 s while fetching fails after a correction of the clock', async () => {
  shift({ hours: 1 });
  expect(await status(tokenOf('rsa-1'))).toBe(200);
  shift({ hours: 0 });
  keyServer.handler = (_request, response) => response.writeHead(500).end();
  for (let round = 0; round < 20; round += 1) expect(await status(tokenOf('rsa-1', `person ${round}`))).toBe(200);
  expect(keyServer.requestCount).toBe(2);
});

it('delays a request by at most 5 s', async () => {
  keyServer.handler = (_request, response) => response.writeHead(200).write('{"keys":[');
  const startedAt = performance.now();
  expect(await status(tokenOf('rsa-1'))).toBe(503);
  const took = performance.now() - startedAt;
  expect(took).toBeGreaterThan(4_500);
  expect(took).toBeLessThan(9_000);
});

it.each<[string, KeyServer['handler']]>([
  [
    'is larger than any key set',
    (_request, response) => {
      const fill = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.writeHead(200).on('drain', fill);
      fill();
    },
  ],
  ['is elsewhere', (_request, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
  ['is no JSON', (_request, response) => response.end('keys')],
  ['is no key set', (_request, response) => response.end('{"keys":{}}')],
])('answers 503 when it %s', async (_, answer) => {
  keyServer.handler = answer;
  expect(await status(tokenOf('rsa-1'))).toBe(503);
  expect(keyServer.requestCount).toBe(1);
});

it('never provides a private or symmetric key for verification', async () => {
  const secret = { kty: 'oct', kid: 'oct-1', k: Buffer.from('x'.repeat(32)).toString('base64url'), alg: 'HS256' };
  const { privateKey } = pair;
  keyServer.keys = [secret, { ...(await exportJWK(privateKey)), kid: 'private-1', alg: 'RS256' }];
  const claims = { role: 'ADMIN', sub: 'person', exp: nowInSeconds() + SECONDS_PER_HOUR };
  expect(await status(encodeToken({ alg: 'HS256', kid: 'oct-1' }, claims, hmacSigner('x'.repeat(32))))).toBe(401);
  expect(await status(tokenOf('private-1'))).toBe(503);
});
