import { Logger } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';

/** Asked every few seconds by probes and scrapers: not worth a line each. */
const UNLOGGED_ROUTES = /^\/(health|metrics)/;

/** One line for each request, with the pattern of its route: a URL may hold ids of other systems. */
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
