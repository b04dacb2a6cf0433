import type { FastifyInstance } from 'fastify';
import { UnsupportedMediaTypeException } from '@nestjs/common';
import { parseJsonBody } from '../validation/index.js';

/** The largest body that is read, in bytes (issue "The service runs", errors). */
export const BODY_LIMIT = 1_048_576;

/**
 * Makes JSON in UTF-8 the only body that is read (decisions, section 1, "Content type"): Fastify
 * answers anything else with 415, and what it would parse itself is unbounded in depth.
 */
export function useJsonBodies(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer', bodyLimit: BODY_LIMIT },
    async (request: { headers: Record<string, unknown> }, body: Buffer) => {
      const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(String(request.headers['content-type']))?.[1];
      if (charset !== undefined && !/^utf-?8$/i.test(charset)) throw new UnsupportedMediaTypeException();
      return parseJsonBody(body);
    },
  );
}
