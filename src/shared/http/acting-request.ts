import type { FastifyRequest } from 'fastify';
import type { AuthenticatedRequest } from '../access/index.js';
import type { Actor } from '../persistence/index.js';

const links = new WeakMap<FastifyRequest, Actor>();

/** Keeps as whom a request without a token acts. */
export function setActor(request: FastifyRequest, actor: Actor): void {
  links.set(request, actor);
}

/** As whom a request acts: its verified caller, the holder of a secret link, or nobody in particular. */
export function actorOf(request: AuthenticatedRequest): Actor {
  return request.user ?? links.get(request) ?? { role: 'NOBODY' };
}

/** Whether a request only reads: by its method, or as it asks what a change would do. */
export function isReading({ method, query }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD' || (query as Record<string, unknown>)['dryRun'] === 'true';
}
