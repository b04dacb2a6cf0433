import type { FastifyReply } from 'fastify';

/** Adds names of request headers to `Vary`. The names that the reply already has stay, such as `Origin`. */
export function addVary(reply: FastifyReply, names: string): void {
  const vary = [reply.getHeader('vary') ?? []].flat().join(', ');
  reply.header('vary', vary === '' ? names : `${vary}, ${names}`);
}
