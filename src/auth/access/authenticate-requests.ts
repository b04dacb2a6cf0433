import { NotFoundException } from '@nestjs/common';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { PUBLIC, type AdminPrincipal, type AuthenticatedRequest } from '../../shared/access/index.js';
import { ForbiddenError } from '../../shared/errors/index.js';
import { closeConnectionAfterReply, isSafeMethod, setActor } from '../../shared/http/index.js';
import { findRequestedAccessId } from '../administrator-access/administrator-access.header.js';
import type { OpenAccessResolver } from '../administrator-access/open-access-resolver.js';
import type { AccessGuard } from './access.guard.js';

/**
 * Authenticates requests after CORS is handled and before their bodies are read, so the service neither buffers nor
 * parses bodies from callers without the required role. The route guard checks the role again.
 */
export function authenticateRequests(fastify: FastifyInstance, guard: AccessGuard, accesses: OpenAccessResolver): void {
  // preParsing hooks run after all onRequest hooks, so error responses include the CORS headers.
  fastify.addHook('preParsing', (request: AuthenticatedRequest, reply, _payload, done) => {
    const refuse = (error: Error) => {
      closeConnectionAfterReply(reply);
      done(error);
    };
    try {
      const verified = authenticateRequest({ guard, accesses }, request, reply);
      if (verified === undefined) done();
      else verified.then(() => done(), refuse);
    } catch (error) {
      refuse(error as Error);
    }
  });
}

/** Returns a promise only if the token is not cached, or if an administrator names an access to a Clinic's data. */
function authenticateRequest(
  { guard, accesses }: { guard: AccessGuard; accesses: OpenAccessResolver },
  request: AuthenticatedRequest,
  reply: FastifyReply,
): Promise<void> | undefined {
  // Responds to an unknown path with 404 before the body is read.
  if (request.is404) throw new NotFoundException();
  const { access } = request.routeOptions.config;
  if (access === PUBLIC) return undefined;
  const requireRole = () => {
    // A route without `@Access` is closed to every role.
    if (access === undefined || request.user?.role !== access) throw new ForbiddenError();
  };
  const admit = (): Promise<void> | undefined => {
    const id = findRequestedAccessId(request);
    if (id !== undefined) return actForClinic(accesses, request, id).then(requireRole);
    requireRole();
    return undefined;
  };
  const verified = guard.authenticate(request, reply);
  return verified === undefined ? admit() : verified.then(admit);
}

/**
 * Changes the caller of a read from the administrator to the Clinic of the open access. A write is denied, because its
 * caller remains the administrator; only its audit entry is written for the Clinic.
 */
async function actForClinic(accesses: OpenAccessResolver, request: AuthenticatedRequest, id: number): Promise<void> {
  const principal = await accesses.useAccess(request.user as AdminPrincipal, id);
  if (isSafeMethod(request)) request.user = principal;
  else setActor(request, principal);
}
