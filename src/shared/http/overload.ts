import { ServiceUnavailableException } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

/*
 * Overload protection: responds with 503 and `Retry-After` to requests that this instance cannot process in time, which
 * leaves time and memory for the requests already accepted. Health probes are never refused.
 */

/** Interval between overload checks, in milliseconds. */
const CHECK_INTERVAL_MS = 500;
/** A check counts as delayed if it runs more than this many milliseconds late. */
const MAX_DELAY_MS = 500;
/**
 * Number of consecutive delayed checks after which requests are refused. A single long iteration of the event loop is
 * not an overload.
 */
const MAX_DELAYED_CHECKS = 5;
/** Fraction of a memory limit above which requests are refused. */
const MAX_MEMORY_SHARE = 0.9;

/** Memory usage and limits, in bytes. */
export type MemoryUsage = {
  /** Memory used by JavaScript objects. */
  heap: number;
  /** Memory used by buffers outside the heap, such as request bodies. */
  external: number;
  heapLimit: number;
  /** Resident set size of the process. */
  resident: number;
  /** Memory limit of the container, or the machine's total memory if there is no container. */
  residentLimit: number;
};

/**
 * Refuses requests while the event loop is repeatedly delayed or memory is running out. Buffers are counted against the
 * heap limit, because V8 limits only the heap itself.
 */
export function refuseWhenOverloaded(fastify: FastifyInstance, memory: () => MemoryUsage = measureMemory): void {
  let [lateTicks, isMemoryShort, last] = [0, false, performance.now()];
  const timer = setInterval(() => {
    const now = performance.now();
    lateTicks = now - last > CHECK_INTERVAL_MS + MAX_DELAY_MS ? lateTicks + 1 : 0;
    last = now;
    isMemoryShort = isMemoryExhausted(memory());
  }, CHECK_INTERVAL_MS).unref();
  fastify.addHook('onClose', async () => clearInterval(timer));
  // preParsing runs after all onRequest hooks, so the response has CORS headers.
  fastify.addHook('preParsing', (request, _reply, _payload, done) => {
    const isRefused = (lateTicks >= MAX_DELAYED_CHECKS || isMemoryShort) && !isHealthProbe(request);
    done(isRefused ? new ServiceUnavailableException() : null);
  });
}

function isMemoryExhausted({ heap, external, heapLimit, resident, residentLimit }: MemoryUsage): boolean {
  return heap + external > heapLimit * MAX_MEMORY_SHARE || resident > residentLimit * MAX_MEMORY_SHARE;
}

function measureMemory(): MemoryUsage {
  const { used_heap_size: heap, external_memory: external, heap_size_limit: heapLimit } = getHeapStatistics();
  // Outside a container, `constrainedMemory()` returns 0 or more than the machine's total memory.
  const residentLimit = Math.min(process.constrainedMemory() || Infinity, totalmem());
  return { heap, external, heapLimit, resident: process.memoryUsage.rss(), residentLimit };
}

declare module 'fastify' {
  interface FastifyReply {
    isCounted: boolean;
  }
}

/**
 * Refuses requests while the maximum number of requests is being processed. A request counts from the moment when it
 * has been received completely until its response is ready, so slow clients do not use up the limit.
 *
 * A counter is used because a Set that grows would keep its old table, with references to requests, until the next
 * major garbage collection.
 */
export function limitConcurrentRequests(fastify: FastifyInstance, maximum: number): void {
  let activeRequests = 0;
  const release = (reply: FastifyReply) => {
    if (reply.isCounted) activeRequests -= 1;
    reply.isCounted = false;
  };
  fastify.decorateReply('isCounted', false);
  fastify.addHook('preHandler', (request, reply, done) => {
    // For an unknown path, Fastify runs the hook twice with the same reply.
    if (!isHealthProbe(request) && !reply.isCounted) {
      if (activeRequests >= maximum) throw new ServiceUnavailableException();
      activeRequests += 1;
      reply.isCounted = true;
      // Without this, a request whose client has disconnected would count forever.
      reply.raw.once('close', () => release(reply));
    }
    done();
  });
  fastify.addHook('onSend', (_request, reply, payload, done) => {
    release(reply);
    done(null, payload);
  });
}

/** Whether the request is a health probe of a load balancer or an orchestrator. */
export function isHealthProbe({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.url?.startsWith('/health/') ?? false;
}
