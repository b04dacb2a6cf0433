import { applyDecorators, createParamDecorator, Header, UnsupportedMediaTypeException } from '@nestjs/common';
import type { ExecutionContext } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiProduces, type ApiBodyOptions } from '@nestjs/swagger';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import { ContentTooLargeError } from '../errors/index.js';
import { isUncompressedUtf8 } from './json-body-parser.js';
import { NDJSON_MEDIA_TYPE } from './media-type.js';
import { AddRouteConfig } from './route-config.js';

/*
 * Request and response bodies in NDJSON, with one JSON text per line. Because an NDJSON body may be larger than other
 * bodies, only operations with `@ApiNdjson` read it, and only after the guard has accepted the token.
 */

/** Maximum size of an NDJSON body, in bytes. */
const MAX_NDJSON_BYTES = 8_388_608;
/** Maximum number of lines in an NDJSON body, including blank lines. */
const MAX_NDJSON_LINES = 10_000;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route reads NDJSON. */
    readsNdjson?: boolean;
  }
}

/** A nonblank line and its line number, counted from 1. */
export type NdjsonLine = { number: number; bytes: Buffer };

/** The nonblank lines of a body. */
export type NdjsonRequest = {
  readonly lines: readonly NdjsonLine[];
  /** Whether the client has closed the connection, so that nothing reads the response. */
  isAbandoned: () => boolean;
};

/**
 * Registers a parser that reads NDJSON bodies. Operations without `@ApiNdjson` respond with 415 before the body is read.
 * The body is read here and not in the handler, because requests count as active only once they have been received.
 */
export function acceptNdjsonBodies(fastify: FastifyInstance): void {
  fastify.addContentTypeParser(NDJSON_MEDIA_TYPE, async ({ headers, routeOptions }: FastifyRequest, body: Readable) => {
    if (!routeOptions.config.readsNdjson || !isUncompressedUtf8(headers)) throw new UnsupportedMediaTypeException();
    return readBody(body, Number(headers['content-length'] ?? 0));
  });
}

/**
 * Marks an operation that reads and returns NDJSON.
 *
 * @param schema the schema of a request line
 */
export function ApiNdjson(schema: z.ZodType) {
  // @nestjs/swagger supports `standardSchema` here, but its types do not declare it.
  const body = { standardSchema: schema, description: 'One such object per line.' } as ApiBodyOptions;
  return applyDecorators(
    AddRouteConfig({ readsNdjson: true }),
    Header('content-type', `${NDJSON_MEDIA_TYPE}; charset=utf-8`),
    ApiConsumes(NDJSON_MEDIA_TYPE),
    ApiProduces(NDJSON_MEDIA_TYPE),
    ApiBody(body),
  );
}

/**
 * Parameter decorator that returns the nonblank lines of the body.
 *
 * @throws UnsupportedMediaTypeException (415) if the body is not NDJSON
 * @throws ContentTooLargeError (413) if the body has too many lines, in which case no line is processed
 */
export const NdjsonBody = createParamDecorator((_: unknown, context: ExecutionContext): NdjsonRequest => {
  const { body, raw } = context.switchToHttp().getRequest<FastifyRequest>();
  if (!Buffer.isBuffer(body)) throw new UnsupportedMediaTypeException();
  return { lines: splitLines(body), isAbandoned: () => raw.socket.destroyed };
});

/** Serializes records as NDJSON. */
export function toNdjson(records: readonly object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

async function readBody(body: Readable, announced: number): Promise<Buffer> {
  const tooLarge = new ContentTooLargeError('The body is larger than 8 MiB: send it in parts.');
  if (announced > MAX_NDJSON_BYTES) throw tooLarge;
  const chunks: Buffer[] = [];
  let length = 0;
  // If the body is too large, the stream must stay open: a destroyed request cannot be answered.
  for await (const chunk of body.iterator({ destroyOnReturn: false })) {
    length += (chunk as Buffer).length;
    if (length > MAX_NDJSON_BYTES) throw tooLarge;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

function splitLines(body: Buffer): NdjsonLine[] {
  const lines: NdjsonLine[] = [];
  let start = 0;
  for (let number = 1; start < body.length; number += 1) {
    const newline = body.indexOf('\n', start);
    const end = newline === -1 ? body.length : newline;
    // Blank lines count as well, because scanning millions of them would block the event loop.
    if (number > MAX_NDJSON_LINES) {
      throw new ContentTooLargeError(`The body has more than ${MAX_NDJSON_LINES} lines: send it in parts.`);
    }
    const bytes = body.subarray(start, end);
    start = end + 1;
    if (!isBlank(bytes)) lines.push({ number, bytes });
  }
  return lines;
}

/** Whether the line contains only JSON whitespace (RFC 8259, section 2), such as the carriage return of CRLF. */
function isBlank(bytes: Buffer): boolean {
  for (const byte of bytes) if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false;
  return true;
}
