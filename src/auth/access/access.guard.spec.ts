import { jest } from '@jest/globals';
import { ServiceUnavailableException } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply } from 'fastify';
import { generateKeyPairSync, sign } from 'node:crypto';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { TEST_JWT_SECRET, testEnvironment } from '../../../test/support/app/test-environment.js';
import { encodeToken, SECONDS_PER_HOUR, hmacSigner, nowInSeconds } from '../../../test/support/http/hostile-tokens.js';
import { Access, PUBLIC, type AuthenticatedRequest, type Principal } from '../../shared/access/index.js';
import { ForbiddenError, UnauthenticatedError } from '../../shared/errors/index.js';
import { AccessGuard } from './access.guard.js';
import { RefusedTokenLog } from './refused-token-log.js';
import { JwtStrategy } from '../jwt/jwt.strategy.js';
import type { DenyList, RevocableToken } from '../revocation/deny-list.js';
import { TokenVerifier } from '../jwt/token-verifier.js';

const CLINIC: Principal = { role: 'CLINIC', subject: 'clinic', clinicId: 7 };
const ADMIN: Principal = { role: 'ADMIN', subject: 'admin' };

class Routes {
  @Access('CLINIC')
  ofClinics(): void {}
  @Access(PUBLIC)
  ofEverybody(): void {}
  ofNobody(): void {}
}

@Access('ADMIN')
class AdminRoutes {
  ofAdministrators(): void {}
  @Access('CLINIC')
  ofClinics(): void {}
}

const denied = new Set<string>();
const isRevoked = jest.fn(({ jti }: RevocableToken) => jti !== undefined && denied.has(jti));
const newVerifier = (secret = TEST_JWT_SECRET) =>
  new TokenVerifier({ ...testEnvironment, token: { ...testEnvironment.token, key: { kind: 'secret', secret } } }, {
    isRevoked,
  } as unknown as DenyList);
const tokenOf = ({ subject, ...claims }: Principal & { jti?: string }, secret = TEST_JWT_SECRET) =>
  encodeToken(
    { alg: 'HS256' },
    { ...claims, sub: subject, exp: nowInSeconds() + SECONDS_PER_HOUR },
    hmacSigner(secret),
  );

/** Tokens, keyed by the words that stand for them in the headers below. */
const TOKENS = { clinic: tokenOf(CLINIC), admin: tokenOf(ADMIN), invalid: tokenOf(CLINIC, 'another secret') };
const withTokens = (header: string) =>
  header.replaceAll(/clinic|admin|invalid/g, (name) => TOKENS[name as keyof typeof TOKENS]);

let verifier: TokenVerifier;
let guard: AccessGuard;
beforeEach(() => {
  denied.clear();
  verifier = newVerifier();
  guard = new AccessGuard(new Reflector(), verifier, new RefusedTokenLog());
});
afterEach(() => jest.restoreAllMocks());

function requestOf(...authorization: string[]) {
  const headersDistinct = authorization.length === 0 ? {} : { authorization: authorization.map(withTokens) };
  const request: { raw: object; server: object; user?: Principal } = {
    raw: { headersDistinct },
    server: { tokenChecks: verifier },
  };
  return request;
}

function ask<Controller extends object>(
  controller: new () => Controller,
  route: keyof Controller,
  ...authorization: string[]
) {
  const request = requestOf(...authorization);
  return { request, answer: answerTo(request, controller, route) };
}

function answerTo<Controller extends object>(
  request: object,
  controller: new () => Controller,
  route: keyof Controller,
) {
  const handler = controller.prototype[route] as () => void;
  return guard.canActivate(new ExecutionContextHost([request, {}], controller, handler));
}

it('allows the role of the route, and sets the principal', async () => {
  const { request, answer } = ask(Routes, 'ofClinics', 'Bearer clinic');
  expect([await answer, request.user]).toEqual([true, CLINIC]);
});

it('refuses other roles and invalid tokens', async () => {
  await expect(ask(Routes, 'ofClinics', 'Bearer admin').answer).rejects.toBeInstanceOf(ForbiddenError);
  await expect(ask(Routes, 'ofClinics', 'Bearer invalid').answer).rejects.toBeInstanceOf(UnauthenticatedError);
});

it('allows every request to a public route, even with an invalid token', async () => {
  const { request, answer } = ask(Routes, 'ofEverybody', 'Bearer invalid');
  expect([await answer, request.user]).toEqual([true, undefined]);
  expect(await ask(Routes, 'ofEverybody').answer).toBe(true);
});

it('refuses every role on a route without @Access', async () => {
  for (const token of ['clinic', 'admin'])
    await expect(ask(Routes, 'ofNobody', `Bearer ${token}`).answer).rejects.toBeInstanceOf(ForbiddenError);
});

it('reads @Access of the method, then of the controller', async () => {
  expect(await ask(AdminRoutes, 'ofAdministrators', 'Bearer admin').answer).toBe(true);
  expect(await ask(AdminRoutes, 'ofClinics', 'Bearer clinic').answer).toBe(true);
  await expect(ask(AdminRoutes, 'ofAdministrators', 'Bearer clinic').answer).rejects.toBeInstanceOf(ForbiddenError);
  await expect(ask(AdminRoutes, 'ofClinics', 'Bearer admin').answer).rejects.toBeInstanceOf(ForbiddenError);
});

it.each(['Bearer clinic', 'bearer clinic', 'BEARER clinic', 'Bearer   clinic'])(
  'reads the token of %j',
  async (header) => {
    expect(await ask(Routes, 'ofClinics', header).answer).toBe(true);
  },
);

it.each<[string, string[]]>([
  ['no header', []],
  ['an empty header', ['']],
  ['two headers', ['Bearer clinic', 'Bearer clinic']],
  ['a token alone', ['clinic']],
  ['no blank', ['Bearerclinic']],
  ['a tab', ['Bearer\tclinic']],
  ['another scheme', ['Basic clinic']],
  ['a longer scheme', ['XBearer clinic']],
  ['something before it', ['Basic x, Bearer clinic']],
  ['something after it', ['Bearer clinic x']],
  ['a blank after it', ['Bearer clinic ']],
])('reads no token of %s', async (_, headers) => {
  const reason = headers.length === 0 ? 'NO_TOKEN' : 'NOT_ONE_BEARER_TOKEN';
  await expect(ask(Routes, 'ofClinics', ...headers).answer).rejects.toMatchObject({ code: 'unauthenticated', reason });
});

describe('with passport', () => {
  it('verifies a token once with passport, and then uses the cache', async () => {
    const validate = jest.spyOn(JwtStrategy.prototype, 'validate');
    for (let times = 0; times < 3; times += 1) {
      const { request, answer } = ask(Routes, 'ofClinics', 'Bearer clinic');
      expect([await answer, request.user]).toEqual([true, CLINIC]);
    }
    expect(validate).toHaveBeenCalledTimes(1);
  });

  it('does not authenticate a request twice, but checks the role again', async () => {
    const known = { ...requestOf('Bearer invalid'), user: ADMIN };
    expect(await answerTo(known, AdminRoutes, 'ofAdministrators')).toBe(true);
    await expect(answerTo(known, Routes, 'ofClinics')).rejects.toBeInstanceOf(ForbiddenError);
  });

  it('authenticates a cached token synchronously', async () => {
    const authenticate = (request: object) => guard.authenticate(request as AuthenticatedRequest, {} as FastifyReply);
    const [first, second] = [requestOf('Bearer clinic'), requestOf('Bearer clinic')];
    await authenticate(first);
    expect([authenticate(second), first.user, second.user]).toEqual([undefined, CLINIC, CLINIC]);
    expect(() => authenticate(requestOf())).toThrow(UnauthenticatedError);
  });

  it('refuses a token that has expired', async () => {
    const claims = { role: 'CLINIC', clinicId: 7, sub: 'clinic', exp: nowInSeconds() - SECONDS_PER_HOUR };
    const expired = encodeToken({ alg: 'HS256' }, claims, hmacSigner(TEST_JWT_SECRET));
    await expect(ask(Routes, 'ofClinics', `Bearer ${expired}`).answer).rejects.toMatchObject({ reason: 'EXPIRED' });
  });

  it.each([
    ['RS256', generateKeyPairSync('rsa', { modulusLength: 2_048 })],
    ['ES256', generateKeyPairSync('ec', { namedCurve: 'P-256' })],
  ] as const)('verifies a signature with %s and the public key', async (alg, { privateKey, publicKey }) => {
    jest.spyOn(verifier, 'findKey').mockResolvedValue(publicKey);
    jest.spyOn(verifier, 'validateClaims').mockReturnValue(CLINIC);
    const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const;
    const claims = { role: 'CLINIC', clinicId: 7, sub: 'clinic', exp: nowInSeconds() + SECONDS_PER_HOUR };
    const token = encodeToken({ alg }, claims, (input) => sign('sha256', Buffer.from(input), key));
    const { request, answer } = ask(Routes, 'ofClinics', `Bearer ${token}`);
    expect([await answer, request.user]).toEqual([true, CLINIC]);
    const foreign = encodeToken({ alg }, { ...claims, clinicId: 8 }, () => Buffer.alloc(256));
    await expect(ask(Routes, 'ofClinics', `Bearer ${foreign}`).answer).rejects.toMatchObject({ reason: 'SIGNATURE' });
  });

  it('logs each refusal of a token, with or without passport', async () => {
    const record = jest.spyOn(RefusedTokenLog.prototype, 'record');
    for (const header of ['Bearer invalid', 'Basic clinic']) {
      const error: unknown = await ask(Routes, 'ofClinics', header).answer.catch((reason: unknown) => reason);
      expect(record.mock.calls.splice(0)).toEqual([[error]]);
    }
  });

  it('passes on 503 instead of refusing the token', async () => {
    TOKENS.clinic = tokenOf({ ...CLINIC, jti: 'name' });
    const fails = new ServiceUnavailableException();
    for (const step of ['findKey', 'validateClaims'] as const) {
      jest.spyOn(verifier, step).mockImplementation(() => {
        throw fails;
      });
      await expect(ask(Routes, 'ofClinics', 'Bearer clinic').answer).rejects.toBe(fails);
      jest.restoreAllMocks();
    }
    jest.spyOn(verifier, 'findKey').mockRejectedValue(fails);
    await expect(ask(Routes, 'ofClinics', 'Bearer clinic').answer).rejects.toBe(fails);
  });

  it('uses the rules of the server that received the request, also with two applications in a process', async () => {
    const other = newVerifier('the secret of another application!');
    const foreign = { ...requestOf('Bearer clinic'), server: { tokenChecks: other } };
    await expect(answerTo(foreign, Routes, 'ofClinics')).rejects.toMatchObject({ reason: 'SIGNATURE' });
    expect(await ask(Routes, 'ofClinics', 'Bearer clinic').answer).toBe(true);
  });
});
