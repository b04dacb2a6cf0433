import type { FastifyInstance } from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';
import { UnsupportedMediaTypeException } from '@nestjs/common';
import { parseJsonBody } from '../validation/index.js';

/** The largest body that is read, in bytes (issue "The service runs", errors). */
export const BODY_LIMIT = 1_048_576;

/**
 * Makes uncompressed JSON in UTF-8 the only body that is read (decisions, section 1, "Content type"):
 * anything else is answered with 415, and what it would parse itself is unbounded in depth.
 */
export function useJsonBodies(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer', bodyLimit: BODY_LIMIT },
    async ({ headers }: { headers: IncomingHttpHeaders }, body: Buffer) => {
      const coding = headers['content-encoding'] ?? 'identity';
      const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(String(headers['content-type']))?.[1];
      const isPlain = /^identity$/i.test(coding) && /^utf-?8$/i.test(charset ?? 'utf-8');
      if (!isPlain) throw new UnsupportedMediaTypeException();
      return parseJsonBody(body);
    },
  );
}
