import { Logger, NotFoundException } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { signToken } from '../../auth/index.js';
import type { Role } from '../../shared/access/index.js';
import type { Environment } from '../../shared/config/env.js';
import { isLoopback } from '../../shared/config/transport-security.js';
import { InvalidRequestError } from '../../shared/errors/index.js';

/* Provides tokens for the menu in Swagger UI, but only to a developer who runs the service on their own machine. */

const PATH = '/docs/demonstration-token';

/**
 * The callers in the menu: an administrator, and records of the demonstration directory (docs/decisions.md,
 * "Demonstration directory").
 */
const CALLERS: Readonly<Record<string, { role: Role; id?: number }>> = {
  'Clinic 1': { role: 'CLINIC', id: 1 },
  'Clinic 2': { role: 'CLINIC', id: 2 },
  'Care Provider 1': { role: 'CARE_PROVIDER', id: 1 },
  'Care Provider 2': { role: 'CARE_PROVIDER', id: 2 },
  'Care Provider 3': { role: 'CARE_PROVIDER', id: 3 },
  'Client 1': { role: 'CLIENT', id: 1 },
  'Client 2': { role: 'CLIENT', id: 2 },
  'Client 3': { role: 'CLIENT', id: 3 },
  'Client 4': { role: 'CLIENT', id: 4 },
  Administrator: { role: 'ADMIN' },
};

/**
 * Headers that proxies add. A request with such a header may come from another machine, through a proxy on this
 * machine.
 */
const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

type Settings = Pick<Environment, 'database' | 'token' | 'host' | 'publicUrl' | 'trustedProxies'>;

/**
 * Whether this service issues demonstration tokens: it generated its secret itself, and only this machine can reach it.
 */
export function canIssueDemonstrationTokens({ database, token, host, publicUrl, trustedProxies }: Settings): boolean {
  return (
    database.kind === 'embedded' &&
    token.key.kind === 'generated' &&
    isLoopback(host) &&
    isLoopback(new URL(publicUrl).hostname) &&
    trustedProxies.length === 0
  );
}

/** Serves the list of callers and their tokens. Must only be called if `canIssueDemonstrationTokens` returns true. */
export function serveDemonstrationTokens(fastify: FastifyInstance, { token }: Environment): void {
  const options = {
    compress: false as const,
    onRequest: async (request: FastifyRequest) => {
      // Requests from other machines get the same response as requests for an unknown path.
      if (!isFromThisMachine(request)) throw new NotFoundException();
    },
  };
  fastify.get(PATH, options, async () => ({ callers: Object.keys(CALLERS) }));
  fastify.post(PATH, options, async ({ body }, reply) => {
    const name = (body as { caller?: unknown } | null | undefined)?.caller;
    const caller = typeof name === 'string' && Object.hasOwn(CALLERS, name) ? CALLERS[name] : undefined;
    if (caller === undefined) throw new InvalidRequestError([{ pointer: '/caller', detail: 'must be in the list' }]);
    new Logger('Demonstration').log({ role: caller.role, id: caller.id }, 'token issued');
    reply.header('cache-control', 'max-age=1, no-cache, no-store');
    return { token: await signToken(token, { ...caller }) };
  });
}

/**
 * Prevents DNS rebinding: a foreign host name can resolve to this machine, so the Host header must be a loopback name.
 * The Origin and Sec-Fetch-Site headers show which page has sent the request.
 */
function isFromThisMachine({ headers, raw }: FastifyRequest): boolean {
  const { host = '', origin } = headers;
  if (PROXY_HEADERS.some((name) => headers[name] !== undefined)) return false;
  if (!isLoopback(raw.socket.remoteAddress ?? '') || !isLoopbackHost(host)) return false;
  const site = headers['sec-fetch-site'] ?? 'same-origin';
  return site === 'same-origin' && (origin === undefined || origin === `http://${host}`);
}

/** @param host the value of a Host header, with or without a port */
function isLoopbackHost(host: string): boolean {
  const name = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?::\d{1,5})?$/i.exec(host)?.[1];
  return name !== undefined && isLoopback(name.toLowerCase());
}
