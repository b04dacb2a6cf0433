import { HttpException } from '@nestjs/common';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { InvalidRequestError, createProblem, PROBLEM_JSON } from '../errors/index.js';
import { forEachServer } from './for-each-server.js';
import { defaultCorsHeaders, SPECIFIED_HEADERS } from './headers.js';

/*
 * What is refused before Nest sees a request: bad HTTP by Node's parser, bad URLs by the router. Still a
 * problem with the specified headers, written by hand, as no hook runs for it.
 */

/** Within which a request's headers must have arrived, in milliseconds. */
const HEADERS_TIMEOUT_MS = 10_000;
/** Within which all of a request must have arrived. */
const REQUEST_TIMEOUT_MS = 30_000;
/** How often that is looked at. */
const TIMEOUT_CHECK_INTERVAL_MS = 2_000;
/** After which a connection on which nothing moves is closed: no answer takes as long. */
const IDLE_TIMEOUT_MS = 120_000;
/** The most header lines of one request. Their bytes are bounded by Node, at 16 KiB. */
const MAX_HEADERS = 100;

/** @param publicUrl the service's own origin, which such an answer allows */
export function serverOptions(publicUrl: string) {
  const headers = {
    ...SPECIFIED_HEADERS,
    ...defaultCorsHeaders(publicUrl),
    'content-type': PROBLEM_JSON,
  };
  return {
    // Node would answer without a Host with an empty body; `useHttpRules` says it as a problem.
    http: {
      requireHostHeader: false,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
    },
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: IDLE_TIMEOUT_MS,
    // What arrives while the service stops is answered like any other; it is the last on its connection.
    return503OnClosing: false,
    clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) => answerClientError(error, socket, headers),
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      const status = error.statusCode ?? 400;
      const body = createProblem({ status, detail: 'The URL is malformed or too long.', requestId: request.id });
      void reply.status(status).headers(headers).send(JSON.stringify(body));
    },
  };
}

/**
 * What Node by itself answers with an empty body: a request without its one Host header (RFC 9112,
 * section 3.2), here a problem, and an expectation that is not 100-continue, which may be ignored
 * (RFC 9110, section 10.1.1). And what Node takes, though whoever stands before us may read it otherwise: versions and
 * encodings that nobody uses here.
 */
export function useHttpRules(fastify: FastifyInstance): void {
  // After every onRequest hook, so that the headers of CORS are on this answer too.
  fastify.addHook('preParsing', ({ raw }, reply, _payload, done) => {
    // What it would upgrade to is not spoken here, and Node drops what has come behind it: the next request would be lost.
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
    // Beyond its own limit Node would leave headers out, and say nothing.
    server.maxHeadersCount = 0;
    server.on('checkExpectation', (...call) => server.emit('request', ...call));
  });
}

/** HTTP/1.0 knows no chunks, and no other encoding is decoded (RFC 9112, section 6.1). */
function hasSupportedFraming({ httpVersion, headers }: IncomingMessage): boolean {
  const encoding = headers['transfer-encoding'];
  if (httpVersion === '1.1') return encoding === undefined || encoding.toLowerCase() === 'chunked';
  return httpVersion === '1.0' && encoding === undefined;
}

function answerClientError(error: NodeJS.ErrnoException, socket: Socket, headers: Record<string, string>): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
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
