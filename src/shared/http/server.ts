import { HttpException } from '@nestjs/common';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { InvalidRequestError, createProblem, PROBLEM_JSON_MEDIA_TYPE } from '../errors/index.js';
import { forEachServer } from './for-each-server.js';
import {
  chooseAllowedOrigin,
  createDefaultCorsHeaders,
  SPECIFIED_RESPONSE_HEADERS,
  type AllowedOrigins,
} from './headers.js';

/*
 * Responses to requests that never reach Nest: invalid HTTP, which Node's parser refuses, and invalid URLs, which the
 * router refuses. No hook runs for such requests, so the problem and its headers are written here.
 */

/** Maximum time to receive the request headers, in milliseconds. */
const HEADERS_TIMEOUT_MS = 10_000;
/** Maximum time to receive the entire request, in milliseconds. */
const REQUEST_TIMEOUT_MS = 30_000;
/** Interval at which Node checks these timeouts, in milliseconds. */
const TIMEOUT_CHECK_INTERVAL_MS = 2_000;
/** Idle time after which a connection is closed, in milliseconds. Longer than any request takes. */
const IDLE_TIMEOUT_MS = 120_000;
/** Maximum number of header lines. Node limits their total size to 16 KiB. */
const MAX_HEADERS = 100;

/** @param origins the allowed origins in responses to requests that never reach Nest */
export function createServerOptions(origins: AllowedOrigins) {
  const headers = {
    ...SPECIFIED_RESPONSE_HEADERS,
    ...createDefaultCorsHeaders(origins.publicUrl),
    'content-type': PROBLEM_JSON_MEDIA_TYPE,
  };
  return {
    // `enforceHttpRules` checks the Host header instead, because Node's error response would have an empty body.
    http: {
      requireHostHeader: false,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
    },
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: IDLE_TIMEOUT_MS,
    // Requests that arrive during graceful shutdown are answered as usual. Their connections are closed afterwards.
    return503OnClosing: false,
    clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) => answerClientError(error, socket, headers),
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      const status = error.statusCode ?? 400;
      const body = createProblem({ status, detail: 'The URL is malformed or too long.', requestId: request.id });
      const origin = chooseAllowedOrigin(request.headers.origin, origins);
      const cors = { 'access-control-allow-origin': origin, vary: 'Origin' };
      void reply
        .status(status)
        .headers({ ...headers, ...cors })
        .send(JSON.stringify(body));
    },
  };
}

/**
 * Applies HTTP rules that Node does not apply, or applies with an empty response body: a request must have exactly one
 * Host header (RFC 9112, section 3.2), and unknown expectations are ignored (RFC 9110, section 10.1.1). To prevent
 * request smuggling, refuses HTTP versions and transfer encodings that a proxy might interpret differently from Node.
 */
export function enforceHttpRules(fastify: FastifyInstance): void {
  // preParsing runs after all onRequest hooks, so the response has CORS headers.
  fastify.addHook('preParsing', ({ raw }, reply, _payload, done) => {
    // Upgrades are not supported, and Node discards all requests that follow an upgrade request on its connection.
    if (raw.headers.upgrade !== undefined) reply.header('connection', 'close');
    if (raw.rawHeaders.length > 2 * MAX_HEADERS) throw new HttpException('Too many headers', 431);
    if (!hasSupportedFraming(raw)) {
      reply.header('connection', 'close');
      throw new InvalidRequestError([
        { pointer: '', detail: 'the request must be HTTP/1.1 or 1.0, its body plain or, in 1.1, chunked' },
      ]);
    }
    if (raw.httpVersion === '1.1' && raw.headersDistinct['host']?.length !== 1) {
      throw new InvalidRequestError([{ pointer: '/host', detail: 'the header host must be given once' }]);
    }
    done();
  });
  forEachServer(fastify, (server) => {
    // No limit, because Node would silently drop excess headers. The hook above refuses such requests instead.
    server.maxHeadersCount = 0;
    server.on('checkExpectation', (...call) => server.emit('request', ...call));
  });
}

/** HTTP/1.0 has no chunked encoding, and no other transfer encoding is supported (RFC 9112, section 6.1). */
function hasSupportedFraming({ httpVersion, headers }: IncomingMessage): boolean {
  const encoding = headers['transfer-encoding'];
  if (httpVersion === '1.1') return encoding === undefined || encoding.toLowerCase() === 'chunked';
  return httpVersion === '1.0' && encoding === undefined;
}

function answerClientError(error: NodeJS.ErrnoException, socket: Socket, headers: Record<string, string>): void {
  // Clients open connections in advance. A 408 on an unused one would answer the next request, which is sent meanwhile.
  const isUnused = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0;
  if (error.code === 'ECONNRESET' || isUnused || !socket.writable) {
    socket.destroy(error);
    return;
  }
  const status = toStatus(error.code);
  const body = JSON.stringify(
    createProblem({ status, detail: 'The request is not valid HTTP, or too large, or too slow.' }),
  );
  const framing = { 'content-length': String(Buffer.byteLength(body)), connection: 'close' };
  const lines = Object.entries({ ...headers, ...framing }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`);
}

function toStatus(code: string | undefined): number {
  if (code === 'HPE_HEADER_OVERFLOW') return 431;
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 408;
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return 413;
  return 400;
}
