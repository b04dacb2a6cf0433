import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';
import { UnsupportedMediaTypeException } from '@nestjs/common';
import { parseJsonBody } from '../validation/index.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set on routes that programs send a form to whose fields say nothing (RFC 8058). */
    ignoresForm?: boolean;
  }
}

/** The largest body that is read, in bytes. */
export const MAX_BODY_BYTES = 1_048_576;

/**
 * Makes uncompressed JSON in UTF-8 the only body that is read (docs/decisions.md, "Content type"):
 * anything else is answered with 415, and what it would parse itself is unbounded in depth.
 */
export function useJsonBodies(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES },
    async ({ headers, routeOptions }: FastifyRequest, body: Buffer) => {
      if (!isUncompressedUtf8(headers)) throw new UnsupportedMediaTypeException();
      // An import reads lines alone: it answers 415, after the guard has seen the token.
      return routeOptions.config.readsNdjson ? undefined : parseJsonBody(body);
    },
  );
}

/** Lets forms through, unread, to the operations that ignore them; to others they stay 415. */
export function discardFormBodies(fastify: FastifyInstance): void {
  fastify.addContentTypeParser(
    ['application/x-www-form-urlencoded', 'multipart/form-data'],
    { parseAs: 'buffer', bodyLimit: 1_024 },
    async ({ routeOptions }: FastifyRequest) => {
      if (!routeOptions.config.ignoresForm) throw new UnsupportedMediaTypeException();
      return undefined;
    },
  );
}

/** True for a body without a content coding, in no other charset than UTF-8. */
export function isUncompressedUtf8(headers: IncomingHttpHeaders): boolean {
  const coding = headers['content-encoding'] ?? 'identity';
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(String(headers['content-type']))?.[1];
  return /^identity$/i.test(coding) && /^utf-?8$/i.test(charset ?? 'utf-8');
}
