import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { KeyObject } from 'node:crypto';
import { Strategy } from 'passport-jwt';
import type { Principal } from '../../shared/access/index.js';
import { readBearerToken, type BearerRequest } from '../token/bearer-token.js';

/** How one application verifies tokens: its keys, and what it demands of claims. */
export interface TokenRules {
  /**
   * The key that verifies a token, once its form and header hold.
   *
   * @throws UnauthenticatedError, ServiceUnavailableException
   */
  findKey(request: object, token: string): Promise<KeyObject>;
  /**
   * The principal of claims whose signature, end and beginning were verified.
   *
   * @throws UnauthenticatedError, ServiceUnavailableException
   */
  validateClaims(request: BearerRequest, claims: unknown): Principal;
}

/** A request as the strategy sees it. */
export type VerifiableRequest = BearerRequest & { server: { tokenRules: TokenRules } };

declare module 'fastify' {
  interface FastifyInstance {
    tokenRules: TokenRules;
  }
}

type DoneCallback = (error: unknown, key?: KeyObject) => void;

/**
 * Verifies bearer tokens with passport. passport is global to the process, and of two applications the last one
 * registers its strategy: this one keeps no state, and finds keys and rules through the server of the request.
 */
@Injectable()
export class JwtStrategy extends PassportStrategy(Strategy, 'jwt') {
  constructor() {
    super({
      jwtFromRequest: readBearerToken,
      // jsonwebtoken takes a KeyObject; only the types of passport-jwt do not say so.
      secretOrKeyProvider: (request: VerifiableRequest, token: string, done: unknown) =>
        void provideKey(request, token, done as DoneCallback),
      // Those of every kind of key: which of them an application takes is decided with its key.
      algorithms: ['HS256', 'RS256', 'ES256'],
      ignoreExpiration: false,
      passReqToCallback: true,
    });
  }

  /** Called by passport with the claims of a token whose signature holds. */
  validate(request: VerifiableRequest, claims: unknown): Principal {
    return request.server.tokenRules.validateClaims(request, claims);
  }
}

/** Never rejects: what fails, also in verification itself, is handed to passport. */
function provideKey(request: VerifiableRequest, token: string, done: DoneCallback): Promise<void> {
  return request.server.tokenRules
    .findKey(request, token)
    .then((key) => done(null, key))
    .catch(done);
}
