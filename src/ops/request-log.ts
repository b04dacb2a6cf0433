import { Logger } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';

/** Asked every few seconds by probes and scrapers: not worth a line each. */
const QUIET = /^\/(health|metrics)/;

/** One line for each request, with the pattern of its route: a URL may hold ids of other systems. */
export function logRequests(fastify: FastifyInstance): void {
  const logger = new Logger('Request');
  fastify.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none';
    if (QUIET.test(route)) return;
    logger.log(
      {
        requestId: request.id,
        method: request.method,
        route,
        status: reply.statusCode,
        milliseconds: Math.round(reply.elapsedTime),
      },
      'request',
    );
  });
}
