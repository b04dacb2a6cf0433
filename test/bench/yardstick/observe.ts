import type { FastifyInstance } from 'fastify';
import { Histogram, Registry } from 'prom-client';
import { ANSWER_HEADERS } from './headers.js';

/** The part of a logger that is needed here. */
type Log = { info(fields: object, message: string): void };

/** Does what the product does for every response: sets headers, measures the duration, and writes a log line. */
export function observeRequests(fastify: Pick<FastifyInstance, 'addHook'>, log: Log): void {
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Duration of requests by route pattern.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [new Registry()],
  });
  fastify.addHook('onSend', (_request, reply, payload, done) => {
    for (const name in ANSWER_HEADERS) if (!reply.hasHeader(name)) reply.header(name, ANSWER_HEADERS[name]);
    done(null, payload);
  });
  fastify.addHook(
    'onResponse',
    ({ id: requestId, method, routeOptions }, { statusCode: status, elapsedTime }, done) => {
      const route = routeOptions.url ?? 'none';
      requests.observe({ method, route, status }, elapsedTime / 1000);
      log.info({ requestId, method, route, status, milliseconds: Math.round(elapsedTime) }, 'request');
      done();
    },
  );
}
