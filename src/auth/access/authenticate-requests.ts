import { NotFoundException } from '@nestjs/common';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { PUBLIC, type AuthenticatedRequest } from '../../shared/access/index.js';
import { ForbiddenError } from '../../shared/errors/index.js';
import { closeConnectionAfter } from '../../shared/http/index.js';
import type { AccessGuard } from './access.guard.js';

/**
 * Authenticates every request after CORS and before its body is read, so that the service does not buffer or parse bodies
 * of callers without the required role. The guard of the route checks the role again.
 */
export function authenticateRequests(fastify: FastifyInstance, guard: AccessGuard): void {
  // preParsing runs after every onRequest hook, so that error responses have the CORS headers.
  fastify.addHook('preParsing', (request: AuthenticatedRequest, reply, _payload, done) => {
    const refuse = (error: Error) => {
      closeConnectionAfter(reply);
      done(error);
    };
    try {
      const verified = authenticateRequest(guard, request, reply);
      if (verified === undefined) done();
      else verified.then(() => done(), refuse);
    } catch (error) {
      refuse(error as Error);
    }
  });
}

/** Returns a promise only for a token that is not in the cache. */
function authenticateRequest(
  guard: AccessGuard,
  request: AuthenticatedRequest,
  reply: FastifyReply,
): Promise<void> | undefined {
  // An unknown path is a 404 before its body is read.
  if (request.is404) throw new NotFoundException();
  const { access } = request.routeOptions.config;
  if (access === PUBLIC) return undefined;
  const requireRole = () => {
    // A route without `@Access` is closed for every role.
    if (access === undefined || request.user?.role !== access) throw new ForbiddenError();
  };
  const verified = guard.authenticate(request, reply);
  if (verified !== undefined) return verified.then(requireRole);
  requireRole();
  return undefined;
}
