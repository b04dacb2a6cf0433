import type { FastifyInstance } from 'fastify';
import { isHealthProbe } from '../shared/http/index.js';
import { getClientAddress } from './client-address.js';
import type { RateLimiter } from './rate-limiter.js';

/** Limits all requests of an address, before their body is read. Health probes are not counted. */
export function limitAddresses(fastify: FastifyInstance, limiter: RateLimiter): void {
  // preParsing runs after every onRequest hook, so that error responses have the CORS headers.
  fastify.addHook('preParsing', (request, reply, _payload, done) => {
    if (!isHealthProbe(request)) limiter.consume('address', getClientAddress(request), reply);
    done();
  });
}
