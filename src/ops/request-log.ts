import { Logger } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';

/** One line for each request, with the pattern of its route: a URL may hold ids of other systems. */
export function logRequests(fastify: FastifyInstance): void {
  const logger = new Logger('Request');
  fastify.addHook('onResponse', async (request, reply) => {
    logger.log(
      {
        requestId: request.id,
        method: request.method,
        route: request.routeOptions.url ?? 'none',
        status: reply.statusCode,
        milliseconds: Math.round(reply.elapsedTime),
      },
      'request',
    );
  });
}
