import type { FastifyInstance } from 'fastify';
import { isHealthProbe } from '../shared/http/index.js';
import { getClientAddress } from './client-address.js';
import type { RateLimiter } from './rate-limiter.js';

/** Limits every request, whatever becomes of it, by the address it comes from, before its body is read. Not probes. */
export function limitAddresses(fastify: FastifyInstance, limiter: RateLimiter): void {
  // After every onRequest hook, so that the headers of CORS are on this answer too.
  fastify.addHook('preParsing', (request, reply, _payload, done) => {
    if (!isHealthProbe(request)) limiter.consume('address', getClientAddress(request), reply);
    done();
  });
}
