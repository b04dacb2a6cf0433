import type { FastifyRequest } from 'fastify';
import type { AuthenticatedRequest } from '../access/index.js';
import type { Actor } from '../persistence/index.js';

const actors = new WeakMap<object, Actor>();

/** Keeps as whom a request acts that has no verified caller. */
export function setActor(request: object, actor: Actor): void {
  actors.set(request, actor);
}

/** As whom a request acts: its verified caller, the holder of a secret link, or nobody in particular. */
export function getActor(request: AuthenticatedRequest): Actor {
  return request.user ?? actors.get(request) ?? { role: 'NOBODY' };
}

/** By its method the request changes nothing (RFC 9110, section 9.2.1). */
export function isSafeMethod({ method }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Whether a request only reads: by its method, or as the dry run of an operation that has one. */
export function isReadOnly(request: FastifyRequest): boolean {
  const { operation } = request.routeOptions.config;
  const isDryRun = () => (request.query as Record<string, unknown>)['dryRun'] === 'true';
  return isSafeMethod(request) || (operation?.dryRun === true && isDryRun());
}
