import type { FastifyInstance } from 'fastify';

/** The headers of every answer, as the specification shows them (4.1; decisions, section 1, "Response headers"). */
export const SPECIFIED_HEADERS = {
  'cache-control': 'max-age=1, no-cache',
  pragma: 'no-cache',
  expires: '0',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-xss-protection': '1; mode=block',
} as const;

/** Puts the specified headers on every answer, preflights and errors included. A route may say more in one of them. */
export function useSpecifiedHeaders(fastify: FastifyInstance): void {
  fastify.addHook('onSend', async (_request, reply) => {
    for (const [name, value] of Object.entries(SPECIFIED_HEADERS)) {
      if (!reply.hasHeader(name)) reply.header(name, value);
    }
  });
}
