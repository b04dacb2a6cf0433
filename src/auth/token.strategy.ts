import { Injectable, ServiceUnavailableException } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { createRemoteJWKSet, decodeProtectedHeader, errors } from 'jose';
import { KeyObject } from 'node:crypto';
import { ExtractJwt, Strategy, type SecretOrKeyProvider, type StrategyOptionsWithoutRequest } from 'passport-jwt';
import type { Principal } from '../shared/access/index.js';
import { Environment, type TokenEnvironment } from '../shared/env.js';
import { UnauthenticatedError } from '../shared/errors/index.js';
import { signingSecret } from './secret.js';
import { tokenClaims } from './token.js';

/** Bearer token → Principal (decisions, section 3). The scheme word is read in any letter case. */
@Injectable()
export class TokenStrategy extends PassportStrategy(Strategy, 'token') {
  constructor(environment: Environment) {
    super(strategyOptions(environment.token));
  }

  validate(claims: unknown): Principal {
    const result = tokenClaims.safeParse(claims);
    if (!result.success) throw new UnauthenticatedError();
    return result.data;
  }
}

function strategyOptions(token: TokenEnvironment): StrategyOptionsWithoutRequest {
  const common = {
    jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(),
    ...(token.issuer ? { issuer: token.issuer } : {}),
    ...(token.audience ? { audience: token.audience } : {}),
  };
  const secret = signingSecret(token);
  // The algorithms are named for each kind of key: that is what stops a public key from being used as an HMAC secret.
  if (secret !== undefined) return { ...common, secretOrKey: secret, algorithms: ['HS256'] };
  return {
    ...common,
    secretOrKeyProvider: keyProvider(token.key.kind === 'keySet' ? token.key.url : ''),
    algorithms: ['RS256', 'ES256'],
  };
}

/** Keys of a key set, cached; an unknown key id makes it look again, at most every 30 seconds. */
function keyProvider(url: string): SecretOrKeyProvider {
  const keySet = createRemoteJWKSet(new URL(url), {
    cooldownDuration: 30_000,
    cacheMaxAge: 600_000,
    timeoutDuration: 5_000,
  });
  return (_request: unknown, token: string, done) => {
    const key = Promise.resolve(token)
      .then(decodeProtectedHeader)
      .then((header) => keySet(header).catch(explainMissingKey));
    key.then(
      (found) => done(null, KeyObject.from(found).export({ type: 'spki', format: 'pem' })),
      (error: unknown) => done(error),
    );
  };
}

/** The key set has no key for this token: refused. No key set at all: that is not the fault of the token. */
function explainMissingKey(error: unknown): never {
  const isRefusal = [errors.JWKSNoMatchingKey, errors.JWKSMultipleMatchingKeys, errors.JOSENotSupported].some(
    (kind) => error instanceof kind,
  );
  throw isRefusal ? error : new ServiceUnavailableException();
}
