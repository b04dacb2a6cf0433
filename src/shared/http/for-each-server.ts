import type { FastifyInstance } from 'fastify';
import type { Server } from 'node:http';

/**
 * Calls a function with each HTTP server of the application. On `localhost` Fastify creates one server for IPv4 and one for
 * IPv6; `fastify.server` is only the first.
 */
export function forEachServer(fastify: FastifyInstance, work: (server: Server) => void): void {
  work(fastify.server);
  fastify.addHook('onListen', (done) => {
    findAdditionalServers(fastify).forEach(work);
    done();
  });
}

/** Fastify publishes only the addresses of these servers (`addresses()`). The servers are stored under a symbol. */
function findAdditionalServers(fastify: FastifyInstance): Server[] {
  const bindings = Object.getOwnPropertySymbols(fastify).find(
    ({ description }) => description === 'fastify.serverBindings',
  );
  if (bindings === undefined) throw new Error('Fastify has no list of its servers any more');
  return Reflect.get(fastify, bindings) as Server[];
}
