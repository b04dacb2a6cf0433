import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { KeyObject } from 'node:crypto';
import { Strategy } from 'passport-jwt';
import type { Principal } from '../../shared/access/index.js';
import { readBearerToken, type BearerRequest } from '../token/bearer-token.js';

/** The checks of a token for which applications differ: those that need the keys, and those of the claims. */
export interface TokenChecks {
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
export type VerifiableRequest = BearerRequest & { server: { tokenChecks: TokenChecks } };

declare module 'fastify' {
  interface FastifyInstance {
    tokenChecks: TokenChecks;
  }
}

type DoneCallback = (error: unknown, key?: KeyObject) => void;

/**
 * Verifies bearer tokens with passport, whose strategies are global: if a process contains two applications, both use
 * the strategy registered last. The strategy is therefore stateless and reads `tokenChecks` from the server that
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
    return request.server.tokenChecks.validateClaims(request, claims);
  }
}

/** The returned promise never rejects: every error is passed to passport. */
function provideKey(request: VerifiableRequest, token: string, done: DoneCallback): Promise<void> {
  return request.server.tokenChecks
    .findKey(request, token)
    .then((key) => done(null, key))
    .catch(done);
}
