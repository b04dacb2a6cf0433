import type { FastifyInstance } from 'fastify';
import helmet, { type HelmetOptions } from 'helmet';
import { ServerResponse, type IncomingMessage } from 'node:http';

/** The headers of every answer, as the specification shows them (docs/decisions.md, "Response headers"). */
export const SPECIFIED_HEADERS = {
  'cache-control': 'max-age=1, no-cache',
  pragma: 'no-cache',
  expires: '0',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-xss-protection': '1; mode=block',
} as const;

/**
 * Puts the specified headers and those of helmet on every answer, preflights and errors included. A route may say more
 * in one of them. Helmet is asked once, as it says the same each time: its plugin works all of it out for each request.
 *
 * @param publicUrl the service's own origin, which is allowed where an answer comes before CORS is looked at
 */
export function useHeaders(fastify: FastifyInstance, publicUrl: string, options: HelmetOptions): void {
  const headers = Object.entries({
    ...computeHelmetHeaders(options),
    ...SPECIFIED_HEADERS,
    ...defaultCorsHeaders(publicUrl),
  });
  // Asynchronous, so that Node has seen what came behind a request in the same packet before anything of it is answered.
  fastify.addHook('onSend', async (_request, reply) => {
    for (const [name, value] of headers) if (!reply.hasHeader(name)) reply.header(name, value);
  });
}

/** Of an answer that nobody else's page has asked for. */
export function defaultCorsHeaders(publicUrl: string) {
  return { 'access-control-allow-credentials': 'true', 'access-control-allow-origin': publicUrl };
}

function computeHelmetHeaders(options: HelmetOptions): Record<string, string> {
  const request = { method: 'GET' } as IncomingMessage;
  const answer = new ServerResponse(request);
  helmet(options)(request, answer, () => undefined);
  return answer.getHeaders() as Record<string, string>;
}
