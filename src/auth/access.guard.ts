import { Injectable, ServiceUnavailableException, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import { ACCESS, PUBLIC, type AuthenticatedRequest, type Principal, type Role } from '../shared/access/index.js';
import { ForbiddenError, UnauthenticatedError } from '../shared/errors/index.js';

/** Guards every route: denies what is not explicitly allowed. */
@Injectable()
export class AccessGuard extends AuthGuard('token') {
  constructor(private readonly reflector: Reflector) {
    super();
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    // What the route says of itself, else what its controller says of all its routes.
    const levels = [context.getHandler(), context.getClass()];
    const access = this.reflector.getAllAndOverride<Role | typeof PUBLIC | undefined>(ACCESS, levels);
    if (access === PUBLIC) return true;
    await super.canActivate(context);
    const { user } = context.switchToHttp().getRequest<AuthenticatedRequest>();
    // A route that nobody opened is closed, whoever asks.
    if (access === undefined || user?.role !== access) throw new ForbiddenError();
    return true;
  }

  /** Every way in which a token can fail is the same answer; the reason would only help an attacker. */
  override handleRequest<User = Principal>(
    _error: unknown,
    principal: User | false | undefined,
    reason?: unknown,
  ): User {
    // The key set cannot be reached: whether the token holds is not known.
    if (reason instanceof ServiceUnavailableException) throw reason;
    if (!principal) throw new UnauthenticatedError();
    return principal;
  }
}
