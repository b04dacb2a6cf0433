import { ServiceUnavailableException } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

/*
 * More than this instance can answer in time is answered with 503 and `Retry-After` at once, while there is time and
 * memory left for what it has accepted. Probes are let through: an instance that is busy is not one that is dead.
 */

/** How often is looked, in milliseconds … */
const CHECK_INTERVAL_MS = 500;
/** … how late that may be … */
const MAX_DELAY_MS = 500;
/** … and how often in a row: one long turn of the event loop is no overload. */
const MAX_DELAYED_CHECKS = 5;
/** Of the memory that the process may have; beyond it it would soon die. */
const MAX_MEMORY_SHARE = 0.9;

/** Bytes: what is in use, and what the process may have. */
export type Memory = {
  /** Objects of JavaScript. */
  heap: number;
  /** Buffers outside the heap, such as the bodies of requests. */
  external: number;
  heapLimit: number;
  /** All pages of the process. */
  resident: number;
  /** Of the container, else of the machine. */
  residentLimit: number;
};

/**
 * Refuses requests while the event loop is late again and again, or the memory runs out. V8 limits the heap alone:
 * buffers are counted together with it, as they can grow without V8 refusing any.
 */
export function refuseWhenOverloaded(fastify: FastifyInstance, memory: () => Memory = measureMemory): void {
  let [lateTicks, isMemoryShort, last] = [0, false, performance.now()];
  const timer = setInterval(() => {
    const now = performance.now();
    lateTicks = now - last > CHECK_INTERVAL_MS + MAX_DELAY_MS ? lateTicks + 1 : 0;
    last = now;
    isMemoryShort = isMemoryExhausted(memory());
  }, CHECK_INTERVAL_MS).unref();
  fastify.addHook('onClose', async () => clearInterval(timer));
  // After every onRequest hook, so that the headers of CORS are on this answer too.
  fastify.addHook('preParsing', (request, _reply, _payload, done) => {
    const isRefused = (lateTicks >= MAX_DELAYED_CHECKS || isMemoryShort) && !isHealthProbe(request);
    done(isRefused ? new ServiceUnavailableException() : null);
  });
}

function isMemoryExhausted({ heap, external, heapLimit, resident, residentLimit }: Memory): boolean {
  return heap + external > heapLimit * MAX_MEMORY_SHARE || resident > residentLimit * MAX_MEMORY_SHARE;
}

function measureMemory(): Memory {
  const { used_heap_size: heap, external_memory: external, heap_size_limit: heapLimit } = getHeapStatistics();
  // Without a container it is 0, or more than any machine has.
  const residentLimit = Math.min(process.constrainedMemory() || Infinity, totalmem());
  return { heap, external, heapLimit, resident: process.memoryUsage.rss(), residentLimit };
}

declare module 'fastify' {
  interface FastifyReply {
    isCounted: boolean;
  }
}

/**
 * Refuses requests while as many are at work as may be. A request is at work from when it has arrived in full to when
 * its answer is ready: slow senders and slow readers take no place.
 *
 * They are counted, not kept in a set: whenever a set makes room it leaves a table behind, by which V8 keeps all that was
 * in it until its next major collection. Of the creation of a plan, 20 KB became old by that, instead of 8.
 */
export function limitConcurrentRequests(fastify: FastifyInstance, most: number): void {
  let atWork = 0;
  const leave = (reply: FastifyReply) => {
    if (reply.isCounted) atWork -= 1;
    reply.isCounted = false;
  };
  fastify.decorateReply('isAtWork', false);
  fastify.addHook('preHandler', (request, reply, done) => {
    // A path that turns out to name nothing is gone through twice, with the same reply.
    if (!isHealthProbe(request) && !reply.isCounted) {
      if (atWork >= most) throw new ServiceUnavailableException();
      atWork += 1;
      reply.isCounted = true;
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
export function isHealthProbe({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.url?.startsWith('/health/') ?? false;
}
