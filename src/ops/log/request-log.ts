import { Logger } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';

/** Requests to these routes are not logged, because probes and scrapers send them every few seconds. */
const UNLOGGED_ROUTES = /^\/(health|metrics)/;

/** Logs one line per request, with the route pattern instead of the URL, which may contain IDs from other systems. */
export function logRequests(fastify: FastifyInstance): void {
  const logger = new Logger('Request');
  fastify.addHook(
    'onResponse',
    ({ id: requestId, method, routeOptions }, { statusCode: status, elapsedTime }, done) => {
      const route = routeOptions.url ?? 'none';
      if (!UNLOGGED_ROUTES.test(route)) {
        logger.log({ requestId, method, route, status, milliseconds: Math.round(elapsedTime) }, 'request');
      }
      done();
    },
  );
}
