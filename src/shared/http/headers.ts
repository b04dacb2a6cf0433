import type { FastifyInstance } from 'fastify';
import helmet, { type HelmetOptions } from 'helmet';
import { ServerResponse, type IncomingMessage } from 'node:http';

/** The response headers that the specification requires (docs/decisions.md, "Response headers"). */
export const SPECIFIED_RESPONSE_HEADERS = {
  'cache-control': 'max-age=1, no-cache',
  pragma: 'no-cache',
  expires: '0',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-xss-protection': '1; mode=block',
} as const;

/**
 * Sets the specified headers and the Helmet headers on every response, including preflights and errors, unless the
 * route has set them. The Helmet headers are computed once because they are the same for every request.
 *
 * @param publicUrl the allowed origin in responses that are sent before the origin of the request is checked
 */
export function addResponseHeaders(fastify: FastifyInstance, publicUrl: string, options: HelmetOptions): void {
  const headers = Object.entries({
    ...computeHelmetHeaders(options),
    ...SPECIFIED_RESPONSE_HEADERS,
    ...createDefaultCorsHeaders(publicUrl),
  });
  // Asynchronous so that Node parses all pipelined requests in a packet before the first response is written.
  fastify.addHook('onSend', async (_request, reply) => {
    for (const [name, value] of headers) if (!reply.hasHeader(name)) reply.header(name, value);
  });
}

/** Returns the CORS headers for responses that are sent before the origin of the request is checked. */
export function createDefaultCorsHeaders(publicUrl: string) {
  return { 'access-control-allow-credentials': 'true', 'access-control-allow-origin': publicUrl };
}

/** The origins whose pages may read responses: the service's own and those of `CORS_ORIGINS`. */
export type AllowedOrigins = { publicUrl: string; corsOrigins: readonly string[] };

/** Returns the origin of a request if it is allowed, and otherwise the service's own. */
export function chooseAllowedOrigin(origin: string | undefined, { publicUrl, corsOrigins }: AllowedOrigins): string {
  return origin !== undefined && corsOrigins.includes(origin) ? origin : publicUrl;
}

function computeHelmetHeaders(options: HelmetOptions): Record<string, string> {
  const request = { method: 'GET' } as IncomingMessage;
  const answer = new ServerResponse(request);
  helmet(options)(request, answer, () => undefined);
  return answer.getHeaders() as Record<string, string>;
}
