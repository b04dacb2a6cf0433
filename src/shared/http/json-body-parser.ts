import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { PayloadTooLargeException, UnsupportedMediaTypeException } from '@nestjs/common';
import { parseJsonBody } from '../validation/index.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route accepts a form but ignores its fields, as one-click unsubscribe does (RFC 8058). */
    ignoresForm?: boolean;
  }
}

/** Maximum size of a JSON body, in bytes. */
export const MAX_BODY_BYTES = 1_048_576;
/** Maximum size of a form on a route that ignores its fields, in bytes. */
const MAX_FORM_BYTES = 1_024;

/**
 * Accepts only uncompressed JSON in UTF-8, and responds to other bodies with 415 (docs/decisions.md, "Content type").
 * Replaces Fastify's JSON parser, which does not limit the nesting depth. An empty body counts as absent, because many
 * HTTP libraries send a content type with each request.
 */
export function acceptJsonBodies(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES },
    async ({ headers, routeOptions }: FastifyRequest, body: Buffer) => {
      if (body.length === 0) return undefined;
      if (!isUncompressedUtf8(headers)) throw new UnsupportedMediaTypeException();
      // Operations that read NDJSON respond to JSON with 415, but only after the guard has accepted the token.
      return routeOptions.config.readsNdjson ? undefined : parseJsonBody(body);
    },
  );
  fastify.addContentTypeParser('*', async ({ headers }: FastifyRequest) => {
    if (hasBody(headers)) throw new UnsupportedMediaTypeException();
    return undefined;
  });
}

function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * Accepts and discards forms on routes with `ignoresForm`. Other routes respond with 415 to a form of any size, and an
 * empty one counts as absent, because some HTTP libraries send this content type with each request.
 */
export function discardFormBodies(fastify: FastifyInstance): void {
  fastify.addContentTypeParser(
    ['application/x-www-form-urlencoded', 'multipart/form-data'],
    async ({ headers, routeOptions }: FastifyRequest, body: Readable) => {
      if (routeOptions.config.ignoresForm) await discardForm(body, Number(headers['content-length'] ?? 0));
      else if (hasBody(headers)) throw new UnsupportedMediaTypeException();
      return undefined;
    },
  );
}

async function discardForm(body: Readable, announced: number): Promise<void> {
  if (announced > MAX_FORM_BYTES) throw new PayloadTooLargeException();
  let length = 0;
  // The stream must stay open: a destroyed request cannot be answered.
  for await (const chunk of body.iterator({ destroyOnReturn: false })) {
    length += (chunk as Buffer).length;
    if (length > MAX_FORM_BYTES) throw new PayloadTooLargeException();
  }
}

/** Whether the body has no content coding, and its charset is UTF-8 or absent. */
export function isUncompressedUtf8(headers: IncomingHttpHeaders): boolean {
  const coding = headers['content-encoding'] ?? 'identity';
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(String(headers['content-type']))?.[1];
  return /^identity$/i.test(coding) && /^utf-?8$/i.test(charset ?? 'utf-8');
}
