import type { FastifyInstance } from 'fastify';
import { isHealthProbe } from '../shared/http/index.js';
import { getClientAddress } from './client-address.js';
import type { RateLimiter } from './rate-limiter.js';

/** Counts each request against the rate limit of its address before its body is read. Health probes are not counted. */
export function limitRequestsByAddress(fastify: FastifyInstance, limiter: RateLimiter): void {
  // preParsing hooks run after all onRequest hooks, so error responses include the CORS headers.
  fastify.addHook('preParsing', (request, reply, _payload, done) => {
    if (!isHealthProbe(request)) limiter.countRequest('address', getClientAddress(request), reply);
    done();
  });
}
