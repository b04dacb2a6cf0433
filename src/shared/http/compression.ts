import compress from '@fastify/compress';
import type { FastifyInstance, FastifyReply } from 'fastify';

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
    if (isCompressible(reply, payload)) addVary(reply);
    // With this header, the plugin does not compress the response.
    else request.headers['x-no-compression'] = 'true';
    done(null, payload);
  });
  await fastify.register(compress, {
    globalDecompression: false,
    encodings: [...ENCODINGS],
    threshold: THRESHOLD,
    customTypes: COMPRESSIBLE,
  });
}

function isCompressible(reply: FastifyReply, payload: unknown): boolean {
  const etag = String(reply.getHeader('etag') ?? 'W/');
  if (!etag.startsWith('W/') || !COMPRESSIBLE.test(String(reply.getHeader('content-type') ?? ''))) return false;
  if (typeof payload === 'string' || payload instanceof Buffer) return Buffer.byteLength(payload) >= THRESHOLD;
  return payload != null;
}

/**
 * Adds `Accept-Encoding` to `Vary`, even if this caller does not accept compression, because the response depends on
 * it.
 */
function addVary(reply: FastifyReply): void {
  const vary = [reply.getHeader('vary') ?? []].flat().join(', ');
  reply.header('vary', vary === '' ? 'accept-encoding' : `${vary}, accept-encoding`);
}
