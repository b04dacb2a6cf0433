import { Injectable, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { AuthGuard } from '@nestjs/passport';
import type { FastifyReply } from 'fastify';
import {
  ACCESS_METADATA_KEY,
  PUBLIC,
  type RequiredAccess,
  type AuthenticatedRequest,
} from '../../shared/access/index.js';
import { ForbiddenError } from '../../shared/errors/index.js';
import { readActingRole } from '../token/acting-role.js';
import { readBearerToken } from '../token/bearer-token.js';
import { RefusedTokenLog } from './refused-token-log.js';
import { toRefusalError } from '../token/token-refusal.js';
import { TokenVerifier } from '../jwt/token-verifier.js';

/** Global guard that allows a request only if the route's `@Access` is `PUBLIC` or names the caller's role. */
@Injectable()
export class AccessGuard extends AuthGuard('jwt') {
  constructor(
    private readonly reflector: Reflector,
    private readonly verifier: TokenVerifier,
    private readonly refusalLog: RefusedTokenLog,
  ) {
    super();
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    // A decorator on a method overrides the one on its controller.
    const levels = [context.getHandler(), context.getClass()];
    const access = this.reflector.getAllAndOverride<RequiredAccess | undefined>(ACCESS_METADATA_KEY, levels);
    if (access === PUBLIC) return true;
    const http = context.switchToHttp();
    const request = http.getRequest<AuthenticatedRequest>();
    if (request.user === undefined) await this.authenticate(request, http.getResponse<FastifyReply>());
    // The second condition closes a route without `@Access` to a caller without a role as well.
    if (request.user?.role !== access || access === undefined) throw new ForbiddenError();
    return true;
  }

  /**
   * Authenticates the caller and sets `request.user`. For a cached token, this happens synchronously; otherwise, the
   * returned promise resolves after passport has verified the token.
   *
   * @throws UnauthenticatedError if the token is missing or refused
   * @throws ForbiddenError if the token does not contain the role in the `Acting-Role` header
   * @throws ServiceUnavailableException if the keys or the revoked tokens are unavailable
   */
  authenticate(request: AuthenticatedRequest, reply: FastifyReply): Promise<unknown> | undefined {
    try {
      const principal = this.verifier.findVerified(readBearerToken(request), readActingRole(request));
      if (principal === undefined) return this.verify(request, reply);
      request.user = principal;
      return undefined;
    } catch (error) {
      this.refusalLog.record(error);
      throw error;
    }
  }

  private async verify(request: AuthenticatedRequest, reply: FastifyReply): Promise<void> {
    try {
      await super.canActivate(new ExecutionContextHost([request, reply]));
    } catch (error) {
      this.refusalLog.record(error);
      throw error;
    }
  }

  /** Called by AuthGuard with passport's result. If passport refuses the token, `info` contains the error. */
  override handleRequest<TUser>(
    error: Error | null | undefined,
    user: TUser | false | null | undefined,
    info: unknown,
  ): TUser {
    if (error) throw error;
    if (!user) throw toRefusalError(info);
    return user;
  }
}
