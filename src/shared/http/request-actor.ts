import type { FastifyRequest } from 'fastify';
import type { AuthenticatedRequest } from '../access/index.js';
import type { Actor } from '../persistence/index.js';

const actors = new WeakMap<object, Actor>();

/** Sets the actor of a request if it is not the caller, as for a request to a secret link, which has no token. */
export function setActor(request: object, actor: Actor): void {
  actors.set(request, actor);
}

/**
 * Returns the actor on whose behalf the request accesses the database: the actor that was set, such as the owner of a
 * secret link, the caller, or `NOBODY`.
 */
export function getActor(request: AuthenticatedRequest): Actor {
  return actors.get(request) ?? request.user ?? { role: 'NOBODY' };
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
