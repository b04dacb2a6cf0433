import { ServiceUnavailableException } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { getHeapStatistics } from 'node:v8';

/*
 * More than this instance can answer in time is answered with 503 and `Retry-After` at once, while there is time and
 * memory left for what it has accepted. Probes are let through: an instance that is busy is not one that is dead.
 */

/** How often is looked, in milliseconds … */
const TICK_MS = 500;
/** … how late that may be … */
const LATE_MS = 500;
/** … and how often in a row: one long turn of the event loop is no overload. */
const LATE_TICKS = 5;
/** Of the memory that JavaScript may have; beyond it the process would soon die. */
const MAX_HEAP_SHARE = 0.9;

/** Refuses requests while the event loop is late again and again, or the memory runs out. */
export function refuseUnderPressure(fastify: FastifyInstance): void {
  let [lateTicks, isMemoryShort, last] = [0, false, performance.now()];
  const timer = setInterval(() => {
    const now = performance.now();
    lateTicks = now - last > TICK_MS + LATE_MS ? lateTicks + 1 : 0;
    last = now;
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
    isMemoryShort = used > limit * MAX_HEAP_SHARE;
  }, TICK_MS).unref();
  fastify.addHook('onClose', async () => clearInterval(timer));
  // After every onRequest hook, so that the headers of CORS are on this answer too.
  fastify.addHook('preParsing', (request, _reply, _payload, done) => {
    const isRefused = (lateTicks >= LATE_TICKS || isMemoryShort) && !isProbe(request);
    done(isRefused ? new ServiceUnavailableException() : null);
  });
}

declare module 'fastify' {
  interface FastifyReply {
    isAtWork: boolean;
  }
}

/**
 * Refuses requests while as many are at work as may be. A request is at work from when it has arrived in full to when
 * its answer is ready: slow senders and slow readers take no place.
 *
 * They are counted, not kept in a set: whenever a set makes room it leaves a table behind, by which V8 keeps all that was
 * in it until its next major collection. Of the creation of a plan, 20 KB became old by that, instead of 8.
 */
export function limitRequestsAtWork(fastify: FastifyInstance, most: number): void {
  let atWork = 0;
  const leave = (reply: FastifyReply) => {
    if (reply.isAtWork) atWork -= 1;
    reply.isAtWork = false;
  };
  fastify.decorateReply('isAtWork', false);
  fastify.addHook('preHandler', (request, reply, done) => {
    // A path that turns out to name nothing is gone through twice, with the same reply.
    if (!isProbe(request) && !reply.isAtWork) {
      if (atWork >= most) throw new ServiceUnavailableException();
      atWork += 1;
      reply.isAtWork = true;
      // Some answers never become ready, as their callers have gone.
      reply.raw.once('close', () => leave(reply));
    }
    done();
  });
  fastify.addHook('onSend', (_request, reply, payload, done) => {
    leave(reply);
    done(null, payload);
  });
}

/** True for requests by which somebody decides whether this instance gets others. */
export function isProbe({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.url?.startsWith('/health/') ?? false;
}
