import type { FastifyInstance } from 'fastify';
import { getRecordId, type AuthenticatedRequest, type Principal } from '../shared/access/index.js';
import { closeConnectionAfterReply } from '../shared/http/index.js';
import type { RateLimiter } from './rate-limiter.js';

/** Limits each caller's requests before their bodies are read. Must be added after the authentication hook. */
export function limitRequestsByCaller(fastify: FastifyInstance, limiter: RateLimiter): void {
  fastify.addHook('preParsing', ({ user }: AuthenticatedRequest, reply, _payload, done) => {
    try {
      if (user !== undefined) limiter.countRequest('caller', toCallerKey(user), reply);
    } catch (error) {
      closeConnectionAfterReply(reply);
      throw error;
    }
    done();
  });
}

/** Identifies a caller by role, record and subject, so two subjects of the same Clinic count as two callers. */
function toCallerKey(caller: Principal): string {
  return `${caller.role} ${getRecordId(caller) ?? ''} ${caller.subject}`;
}
