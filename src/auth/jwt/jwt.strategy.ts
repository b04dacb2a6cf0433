import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { KeyObject } from 'node:crypto';
import { Strategy } from 'passport-jwt';
import type { Principal } from '../../shared/access/index.js';
import { readBearerToken, type BearerRequest } from '../token/bearer-token.js';

/** Defines how an application verifies tokens: its keys and its requirements for claims. */
export interface TokenVerificationRules {
  /**
   * Checks the format and header of a token, and finds the key to verify it with.
   *
   * @throws UnauthenticatedError if the token is refused
   * @throws ServiceUnavailableException if the keys are unavailable
   */
  findKey(request: object, token: string): Promise<KeyObject>;
  /**
   * Checks the claims of a token whose signature, `exp` and `nbf` are already verified, and returns the principal.
   *
   * @throws UnauthenticatedError if the token is refused
   * @throws ForbiddenError if the token does not contain the role in the `Acting-Role` header
   * @throws ServiceUnavailableException if the revoked tokens are unavailable
   */
  validateClaims(request: BearerRequest, claims: unknown): Principal;
}

/** The part of a request that the strategy reads. */
export type VerifiableRequest = BearerRequest & { server: { tokenRules: TokenVerificationRules } };

declare module 'fastify' {
  interface FastifyInstance {
    tokenRules: TokenVerificationRules;
  }
}

type DoneCallback = (error: unknown, key?: KeyObject) => void;

/**
 * Verifies bearer tokens with passport, whose strategies are global: if a process contains two applications, both use
 * the strategy registered last. The strategy is therefore stateless and reads `tokenRules` from the server that
 * received the request.
 */
@Injectable()
export class JwtStrategy extends PassportStrategy(Strategy, 'jwt') {
  constructor() {
    super({
      jwtFromRequest: readBearerToken,
      // jsonwebtoken accepts a KeyObject, but the types of passport-jwt do not allow one.
      secretOrKeyProvider: (request: VerifiableRequest, token: string, done: unknown) =>
        void provideKey(request, token, done as DoneCallback),
      // Lists all supported algorithms; `findKey` accepts only those that match the configured kind of key.
      algorithms: ['HS256', 'RS256', 'ES256'],
      ignoreExpiration: false,
      passReqToCallback: true,
    });
  }

  /** Called by passport with the claims of a token whose signature is valid. */
  validate(request: VerifiableRequest, claims: unknown): Principal {
    return request.server.tokenRules.validateClaims(request, claims);
  }
}

/** The returned promise never rejects: every error is passed to passport. */
function provideKey(request: VerifiableRequest, token: string, done: DoneCallback): Promise<void> {
  return request.server.tokenRules
    .findKey(request, token)
    .then((key) => done(null, key))
    .catch(done);
}
