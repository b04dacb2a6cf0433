import { Injectable, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { AuthGuard } from '@nestjs/passport';
import type { FastifyReply } from 'fastify';
import { ACCESS_METADATA, PUBLIC, type RequiredAccess, type AuthenticatedRequest } from '../../shared/access/index.js';
import { ForbiddenError } from '../../shared/errors/index.js';
import { readActingRole } from '../token/acting-role.js';
import { readBearerToken } from '../token/bearer-token.js';
import { RefusalLog } from './refusal-log.js';
import { toRefusal } from '../token/token-refusal.js';
import { TokenVerifier } from '../jwt/token-verifier.js';

/** Guards every route: denies what is not explicitly allowed. */
@Injectable()
export class AccessGuard extends AuthGuard('jwt') {
  constructor(
    private readonly reflector: Reflector,
    private readonly verifier: TokenVerifier,
    private readonly refusalLog: RefusalLog,
  ) {
    super();
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    // What the route says of itself, else what its controller says of all its routes.
    const levels = [context.getHandler(), context.getClass()];
    const access = this.reflector.getAllAndOverride<RequiredAccess | undefined>(ACCESS_METADATA, levels);
    if (access === PUBLIC) return true;
    const http = context.switchToHttp();
    const request = http.getRequest<AuthenticatedRequest>();
    if (request.user === undefined) await this.authenticate(request, http.getResponse<FastifyReply>());
    // A route that nobody opened is closed, whoever asks: nobody's role is undefined.
    if (request.user?.role !== access || access === undefined) throw new ForbiddenError();
    return true;
  }

  /**
   * Finds out who calls, and sets `request.user`. Returns a promise only for a token that has to be verified, by
   * passport; one that was verified a moment ago is known at once.
   *
   * @throws UnauthenticatedError for every reason alike
   * @throws ServiceUnavailableException when the keys or the revocations are not known
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

  /** The outcome of passport's call. What failed before the claims were read arrives as `info`. */
  override handleRequest<TUser>(
    error: Error | null | undefined,
    user: TUser | false | null | undefined,
    info: unknown,
  ): TUser {
    if (error) throw error;
    if (!user) throw toRefusal(info);
    return user;
  }
}
