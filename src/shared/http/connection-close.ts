import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Socket } from 'node:net';
import { forEachServer } from './for-each-server.js';

/*
 * Closes a connection after a response that is sent before the request body has been read completely, because reading
 * the rest of the body would cost more than a new connection.
 */

/** Time for the client to read the response before the socket is destroyed, in milliseconds. */
const LINGER_MS = 2_000;
/** Maximum number of bytes of the request body that are read and discarded before the socket is destroyed. */
const MAX_DISCARDED_BYTES = 65_536;

const closingSockets = new WeakSet<Socket>();

/**
 * Closes the connection after this response. Closing a socket with unread bytes sends a TCP reset, which may cause the
 * client to lose the response. Therefore, only the sending side is closed first, and the client gets some time to close
 * its side (RFC 9112, section 9.6).
 */
export function closeConnectionAfterReply(reply: FastifyReply): void {
  const { raw } = reply.request;
  const { socket } = raw;
  reply.header('connection', 'close');
  if (closingSockets.has(socket)) return;
  closingSockets.add(socket);
  const limit = socket.bytesRead + MAX_DISCARDED_BYTES;
  const stopBeyondLimit = () => {
    if (socket.bytesRead > limit) stopReading(socket);
  };
  if (Number(raw.headers['content-length']) > MAX_DISCARDED_BYTES) stopReading(socket);
  else raw.on('data', stopBeyondLimit);
  socket.destroySoon = () => {
    // Node removes the listeners of a request when it discards the rest of the body.
    raw.on('data', stopBeyondLimit);
    socket.end();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  };
}

/**
 * Stops reading permanently. `resume` is replaced because the stream of the request calls it for each chunk that it
 * wants to read.
 */
function stopReading(socket: Socket): void {
  socket.pause();
  socket.resume = () => socket;
}

/** Closes the connection after each response that is sent before the request has been received completely. */
export function closeConnectionsAfterUnreadBodies(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    // Further requests on this connection are neither processed nor answered.
    if (closingSockets.has(request.raw.socket)) reply.hijack();
    else done();
  });
  fastify.addHook('onSend', ({ raw }, reply, payload, done) => {
    if (!raw.complete) closeConnectionAfterReply(reply);
    done(null, payload);
  });
}

/**
 * Sends `100 Continue` to clients that wait for it (RFC 9110, section 10.1.1). By default, Node sends it before any
 * hook runs. Must be called after all hooks that refuse requests based on their headers have been added.
 */
export function answerExpectContinue(fastify: FastifyInstance): void {
  forEachServer(fastify, (server) => server.on('checkContinue', (...call) => server.emit('request', ...call)));
  fastify.addHook('preParsing', ({ headers }, reply, _payload, done) => {
    if (headers.expect?.toLowerCase() === '100-continue') reply.raw.writeContinue();
    done();
  });
}
