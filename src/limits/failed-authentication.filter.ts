import { Catch, type ArgumentsHost } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { NotFoundError, ProblemFilter, UnauthenticatedError } from '../shared/errors/index.js';
import { getClientAddress } from './client-address.js';
import type { RateLimiter } from './rate-limiter.js';

/**
 * Limits failed authentication attempts per address. Beyond the limit, a 401 becomes a 429, as does a 404 for a secret
 * link. Valid tokens are still accepted, so a program with an expired token does not block other callers at the same
 * address.
 */
@Catch(UnauthenticatedError, NotFoundError)
export class FailedAuthenticationFilter extends ProblemFilter {
  constructor(private readonly limiter: RateLimiter) {
    super();
  }

  override catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const isLink = request.routeOptions.config.operation?.resolveLinkActor !== undefined;
    if (error instanceof NotFoundError && !isLink) {
      super.catch(error, host);
      return;
    }
    try {
      this.limiter.countRequest('failed-authentication', getClientAddress(request), http.getResponse<FastifyReply>());
      super.catch(error, host);
    } catch (limitError) {
      super.catch(limitError, host);
    }
  }
}
