import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ACCESS, PUBLIC, type AuthenticatedRequest, type Role } from '../shared/access/index.js';
import { ForbiddenError, UnauthenticatedError } from '../shared/errors/index.js';
import { TokenVerifier } from './token-verifier.js';

/** Guards every route: denies what is not explicitly allowed. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly tokens: TokenVerifier,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    // What the route says of itself, else what its controller says of all its routes.
    const levels = [context.getHandler(), context.getClass()];
    const access = this.reflector.getAllAndOverride<Role | typeof PUBLIC | undefined>(ACCESS, levels);
    if (access === PUBLIC) return true;
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    request.user = await this.tokens.verify(bearerToken(request));
    // A route that nobody opened is closed, whoever asks: nobody's role is undefined.
    if (request.user.role !== access) throw new ForbiddenError();
    return true;
  }
}

/**
 * The token of the one Authorization header (RFC 6750, section 2.1), and from nowhere else. Of two headers Node would
 * take the first and somebody on the way perhaps the second. The scheme word is read in any letter case.
 *
 * @throws UnauthenticatedError
 */
function bearerToken({ raw }: AuthenticatedRequest): string {
  const headers = raw.headersDistinct['authorization'];
  const token = headers?.length === 1 ? /^bearer +(\S+)$/i.exec(headers[0]!)?.[1] : undefined;
  if (token === undefined) throw new UnauthenticatedError();
  return token;
}
