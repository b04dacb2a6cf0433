import type { FastifyInstance } from 'fastify';
import type { Server } from 'node:http';

/**
 * Calls a function for each HTTP server of the application. On `localhost`, Fastify creates separate servers for IPv4
 * and IPv6, and `fastify.server` is only the first of them.
 */
export function forEachServer(fastify: FastifyInstance, work: (server: Server) => void): void {
  work(fastify.server);
  fastify.addHook('onListen', (done) => {
    findAdditionalServers(fastify).forEach(work);
    done();
  });
}

/** Reads the servers from an internal symbol, because Fastify publishes only their addresses (`addresses()`). */
function findAdditionalServers(fastify: FastifyInstance): Server[] {
  const bindings = Object.getOwnPropertySymbols(fastify).find(
    ({ description }) => description === 'fastify.serverBindings',
  );
  if (bindings === undefined) throw new Error('Fastify has no list of its servers any more');
  return Reflect.get(fastify, bindings) as Server[];
}
