import { NotFoundException } from '@nestjs/common';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { PUBLIC, type AuthenticatedRequest } from '../../shared/access/index.js';
import { ForbiddenError } from '../../shared/errors/index.js';
import { closeConnectionAfter } from '../../shared/http/index.js';
import type { AccessGuard } from './access.guard.js';

/**
 * Authenticates every request once, after CORS and before its body is read: a caller without a token, or with that of
 * another role, cannot make the service keep or parse one. The guard of the route looks at the role once more.
 */
export function authenticateRequests(fastify: FastifyInstance, guard: AccessGuard): void {
  // After every onRequest hook, so that the headers of CORS are on a refusal too.
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

/** Returns a promise only for a token that was not verified a moment ago. */
function authenticateRequest(
  guard: AccessGuard,
  request: AuthenticatedRequest,
  reply: FastifyReply,
): Promise<void> | undefined {
  // Answered before its body is read, like all that needs a token.
  if (request.is404) throw new NotFoundException();
  const { access } = request.routeOptions.config;
  if (access === PUBLIC) return undefined;
  const requireRole = () => {
    // A route that says nothing of access is closed, whoever asks.
    if (access === undefined || request.user?.role !== access) throw new ForbiddenError();
  };
  const verified = guard.authenticate(request, reply);
  if (verified !== undefined) return verified.then(requireRole);
  requireRole();
  return undefined;
}
