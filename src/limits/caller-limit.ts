import type { FastifyInstance } from 'fastify';
import { getRecordId, type AuthenticatedRequest, type Principal } from '../shared/access/index.js';
import { closeConnectionAfter } from '../shared/http/index.js';
import type { RateLimiter } from './rate-limiter.js';

/** Limits each caller, wherever they call from, before the body is read. Added after the hook that authenticates. */
export function limitCallers(fastify: FastifyInstance, limiter: RateLimiter): void {
  fastify.addHook('preParsing', ({ user }: AuthenticatedRequest, reply, _payload, done) => {
    try {
      if (user !== undefined) limiter.consume('caller', toCallerKey(user), reply);
    } catch (error) {
      closeConnectionAfter(reply);
      throw error;
    }
    done();
  });
}

/** The record that the token speaks for, and its subject: a program and a person of one Clinic are two callers. */
function toCallerKey(caller: Principal): string {
  return `${caller.role} ${getRecordId(caller) ?? ''} ${caller.subject}`;
}
