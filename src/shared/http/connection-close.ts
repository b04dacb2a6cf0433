import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Socket } from 'node:net';
import { forEachServer } from './for-each-server.js';

/*
 * Answers that are the last ones on their connection. What is refused before its body was read is not worth reading it,
 * and a connection cannot be used again until it was.
 */

/** How long a caller may take to read the answer and close the connection. */
const LINGER_MS = 2_000;
/** As much of a body is read and dropped meanwhile, in bytes; of a larger one no more, so that it costs nothing. */
const MAX_DISCARDED_BYTES = 65_536;

const closingSockets = new WeakSet<Socket>();

/**
 * Closes the connection after this answer. Closing with unread bytes resets a connection, and the reset may overtake the
 * answer: our side is closed first, and the other one has a moment to follow (RFC 9112, section 9.6).
 */
export function closeConnectionAfter(reply: FastifyReply): void {
  const { raw } = reply.request;
  const { socket } = raw;
  reply.header('connection', 'close');
  if (closingSockets.has(socket)) return;
  closingSockets.add(socket);
  const start = socket.bytesRead;
  raw.on('data', () => {
    if (socket.bytesRead - start > MAX_DISCARDED_BYTES) socket.pause();
  });
  socket.destroySoon = () => {
    socket.end();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  };
}

/** Closes connections after answers that are given before the request has arrived in full. */
export function closeConnectionsAfterUnreadBodies(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    // What comes behind the last answer is neither carried out nor answered; the connection ends with that answer.
    if (closingSockets.has(request.raw.socket)) reply.hijack();
    else done();
  });
  fastify.addHook('onSend', async ({ raw }, reply) => {
    if (!raw.complete) closeConnectionAfter(reply);
  });
}

/**
 * Asks for the body where the caller waits for that (RFC 9110, section 10.1.1). Added after all that may refuse a request
 * by its headers: Node would ask before any of them.
 */
export function useExpectContinue(fastify: FastifyInstance): void {
  forEachServer(fastify, (server) => server.on('checkContinue', (...call) => server.emit('request', ...call)));
  fastify.addHook('preParsing', ({ headers }, reply, _payload, done) => {
    if (headers.expect?.toLowerCase() === '100-continue') reply.raw.writeContinue();
    done();
  });
}
