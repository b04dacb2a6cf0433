import { applyDecorators, createParamDecorator, Header, UnsupportedMediaTypeException } from '@nestjs/common';
import type { ExecutionContext } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiProduces, type ApiBodyOptions } from '@nestjs/swagger';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import type { z } from 'zod';
import { ContentTooLargeError, UnsupportedMediaTypeError } from '../errors/index.js';
import { isUncompressedUtf8 } from './json-body-parser.js';
import { AddRouteConfig } from './route-config.js';

/*
 * Bodies of many records, one JSON text a line. Only operations that say so read them, and those read
 * nothing else; only after the guard has seen the token, as they are larger than other bodies.
 */

export const NDJSON = 'application/x-ndjson';
/** The largest body of lines that is read, in bytes. */
const MAX_NDJSON_BYTES = 8_388_608;
/** The most lines that one request may have, empty ones included. */
export const MAX_LINES = 10_000;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set on the routes whose body is lines. */
    readsNdjson?: boolean;
  }
}

/** A line that says something: its number, counted from 1 as editors do, and its text. */
export type NdjsonLine = { number: number; bytes: Buffer };

/** Lets bodies of lines through, unread, to the operations that read them; to others they stay 415. */
export function useNdjsonBodies(fastify: FastifyInstance): void {
  fastify.addContentTypeParser(NDJSON, async ({ headers, routeOptions }: FastifyRequest, body: Readable) => {
    if (!routeOptions.config.readsNdjson || !isUncompressedUtf8(headers)) throw new UnsupportedMediaTypeException();
    return body;
  });
}

/** Says of an operation that it reads lines and answers with lines, and what one line of the request is. */
export function ApiNdjson(schema: z.ZodType) {
  // The explorer reads it of any parameter; only the type does not know.
  const body = { standardSchema: schema, description: 'One such object a line.' } as ApiBodyOptions;
  return applyDecorators(
    AddRouteConfig({ readsNdjson: true }),
    Header('content-type', `${NDJSON}; charset=utf-8`),
    ApiConsumes(NDJSON),
    ApiProduces(NDJSON),
    ApiBody(body),
  );
}

/**
 * The lines of the body, without the empty ones.
 *
 * @throws UnsupportedMediaTypeError (415) for any other body
 * @throws ContentTooLargeError (413) for too many bytes or lines; nothing of them has been used
 */
export const NdjsonBody = createParamDecorator(async (_: unknown, context: ExecutionContext): Promise<NdjsonLine[]> => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  const { body, headers } = request;
  if (!(body instanceof Readable)) {
    throw new UnsupportedMediaTypeError(`The body must be sent as ${NDJSON} in UTF-8, without a content coding.`);
  }
  const whole = await readBody(body, Number(headers['content-length'] ?? 0));
  // In the place of what has been read: who asks what was sent finds it, as of any other body.
  request.body = whole;
  return splitLines(whole);
});

/** An answer of lines. */
export function toNdjson(records: readonly object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

async function readBody(body: Readable, announced: number): Promise<Buffer> {
  const tooLarge = new ContentTooLargeError('The body is larger than 8 MiB: send it in parts.');
  if (announced > MAX_NDJSON_BYTES) throw tooLarge;
  const chunks: Buffer[] = [];
  let length = 0;
  // Left intact when it is too long: a destroyed request could not be answered.
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
    // Empty ones, too: going through millions of them would hold up everybody else.
    if (number > MAX_LINES) {
      throw new ContentTooLargeError(`The body has more than ${MAX_LINES} lines: send it in parts.`);
    }
    const bytes = body.subarray(start, end);
    start = end + 1;
    if (!isBlank(bytes)) lines.push({ number, bytes });
  }
  return lines;
}

/** White space of JSON (RFC 8259, section 2): the carriage return of CRLF is one. */
function isBlank(bytes: Buffer): boolean {
  for (const byte of bytes) if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false;
  return true;
}
