import type { FastifyRequest } from 'fastify';
import type { AuthenticatedRequest } from '../access/index.js';
import type { Actor } from '../persistence/index.js';

const actors = new WeakMap<object, Actor>();

/** Sets the actor of a request without a token, such as a request to a secret link. */
export function setActor(request: object, actor: Actor): void {
  actors.set(request, actor);
}

/**
 * Returns the actor on whose behalf the request accesses the database: the caller, the owner of a secret link, or
 * `NOBODY`.
 */
export function getActor(request: AuthenticatedRequest): Actor {
  return request.user ?? actors.get(request) ?? { role: 'NOBODY' };
}

/** Whether the method is safe, meaning that the request changes nothing (RFC 9110, section 9.2.1). */
export function isSafeMethod({ method }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Whether the request changes nothing: its method is safe, or it is a dry run. */
export function isReadOnly(request: FastifyRequest): boolean {
  const { operation } = request.routeOptions.config;
  const isDryRun = () => (request.query as Record<string, unknown>)['dryRun'] === 'true';
  return isSafeMethod(request) || (operation?.dryRun === true && isDryRun());
}
