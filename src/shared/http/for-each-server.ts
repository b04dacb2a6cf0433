import type { FastifyInstance } from 'fastify';
import type { Server } from 'node:http';

/**
 * Does something with every HTTP server of the application. On `localhost` Fastify listens on the addresses of both
 * versions of IP, with a server of its own for each; `fastify.server` is only the first of them.
 */
export function forEachServer(fastify: FastifyInstance, work: (server: Server) => void): void {
  work(fastify.server);
  fastify.addHook('onListen', (done) => {
    findAdditionalServers(fastify).forEach(work);
    done();
  });
}

/** Fastify tells their addresses alone (`addresses()`); the servers themselves stand under this symbol. */
function findAdditionalServers(fastify: FastifyInstance): Server[] {
  const bindings = Object.getOwnPropertySymbols(fastify).find(
    ({ description }) => description === 'fastify.serverBindings',
  );
  if (bindings === undefined) throw new Error('Fastify has no list of its servers any more');
  return Reflect.get(fastify, bindings) as Server[];
}
