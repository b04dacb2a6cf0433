import compress from '@fastify/compress';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { addVary } from './vary.js';

/** Minimum size of a compressed response, in bytes. Compression hardly shortens smaller responses. */
const THRESHOLD = 1_024;
const COMPRESSIBLE = /^text\/|[/+](?:x-nd)?json(?:;|$)|\/(?:javascript|yaml)(?:;|$)/;
const ENCODINGS = ['br', 'gzip'] as const;

/**
 * Compresses responses for callers that accept it. A response with a strong `ETag` is not compressed, because such a
 * tag identifies one exact sequence of bytes (RFC 9110, section 8.8.3). Compressed request bodies are not accepted.
 */
export async function compressResponses(fastify: FastifyInstance): Promise<void> {
  fastify.addHook('onSend', (request, reply, payload, done) => {
    // With this header, the plugin does not compress the response.
    if (!addVaryIfCompressible(reply, payload)) request.headers['x-no-compression'] = 'true';
    done(null, payload);
  });
  await fastify.register(compress, {
    globalDecompression: false,
    encodings: [...ENCODINGS],
    threshold: THRESHOLD,
    customTypes: COMPRESSIBLE,
  });
}

/**
 * Adds `Accept-Encoding` to `Vary` if the response can be compressed, even if this caller does not accept compression,
 * because the response depends on it.
 *
 * @returns whether the response can be compressed
 */
export function addVaryIfCompressible(reply: FastifyReply, payload: unknown): boolean {
  const can = isCompressible(reply, payload);
  if (can) addVary(reply, 'accept-encoding');
  return can;
}

function isCompressible(reply: FastifyReply, payload: unknown): boolean {
  const etag = String(reply.getHeader('etag') ?? 'W/');
  if (!etag.startsWith('W/') || !COMPRESSIBLE.test(String(reply.getHeader('content-type') ?? ''))) return false;
  if (typeof payload === 'string' || payload instanceof Buffer) return Buffer.byteLength(payload) >= THRESHOLD;
  return payload != null;
}
