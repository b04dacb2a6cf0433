import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { KeyObject } from 'node:crypto';
import { Strategy } from 'passport-jwt';
import type { Principal } from '../../shared/access/index.js';
import { readBearerToken, type BearerRequest } from '../token/bearer-token.js';

/** How one application verifies tokens: its keys, and its requirements for claims. */
export interface TokenRules {
  /**
   * Checks the format and the header of a token, and finds the key that verifies it.
   *
   * @throws UnauthenticatedError for a refused token
   * @throws ServiceUnavailableException if the keys are not available
   */
  findKey(request: object, token: string): Promise<KeyObject>;
  /**
   * Checks claims whose signature, expiry and start were verified, and returns the principal.
   *
   * @throws UnauthenticatedError for a refused token
   * @throws ForbiddenError if the token does not contain the role of the header `Acting-Role`
   * @throws ServiceUnavailableException if the revoked tokens are not known
   */
  validateClaims(request: BearerRequest, claims: unknown): Principal;
}

/** The part of a request that the strategy reads. */
export type VerifiableRequest = BearerRequest & { server: { tokenRules: TokenRules } };

declare module 'fastify' {
  interface FastifyInstance {
    tokenRules: TokenRules;
  }
}

type DoneCallback = (error: unknown, key?: KeyObject) => void;

/**
 * Verifies bearer tokens with passport. passport is global: in a process with two applications, the strategy of the last
 * one is used for both. Therefore the strategy has no state and reads `tokenRules` from the server of the request.
 */
@Injectable()
export class JwtStrategy extends PassportStrategy(Strategy, 'jwt') {
  constructor() {
    super({
      jwtFromRequest: readBearerToken,
      // jsonwebtoken accepts a KeyObject; the types of passport-jwt do not allow it.
      secretOrKeyProvider: (request: VerifiableRequest, token: string, done: unknown) =>
        void provideKey(request, token, done as DoneCallback),
      // All algorithms; `findKey` allows only those that match the configured kind of key.
      algorithms: ['HS256', 'RS256', 'ES256'],
      ignoreExpiration: false,
      passReqToCallback: true,
    });
  }

  /** passport calls this with the claims of a token whose signature is valid. */
  validate(request: VerifiableRequest, claims: unknown): Principal {
    return request.server.tokenRules.validateClaims(request, claims);
  }
}

/** Never rejects: every error is passed to passport. */
function provideKey(request: VerifiableRequest, token: string, done: DoneCallback): Promise<void> {
  return request.server.tokenRules
    .findKey(request, token)
    .then((key) => done(null, key))
    .catch(done);
}
