import type { IncomingMessage } from 'node:http';
import { createRefusalError } from './token-refusal.js';

/** The part of a request that authentication reads. */
export type BearerRequest = { raw: Pick<IncomingMessage, 'headersDistinct'> };

/**
 * Reads the bearer token from the Authorization header (RFC 6750, section 2.1). Refuses a request with two such
 * headers, because Node and a proxy might each use a different one. The scheme is case-insensitive.
 *
 * @throws UnauthenticatedError if the request does not contain exactly one bearer token
 */
export function readBearerToken({ raw }: BearerRequest): string {
  const headers = raw.headersDistinct['authorization'];
  if (headers === undefined) throw createRefusalError('NO_TOKEN');
  const token = headers.length === 1 ? /^bearer +(\S+)$/i.exec(headers[0]!)?.[1] : undefined;
  if (token === undefined) throw createRefusalError('NOT_ONE_BEARER_TOKEN');
  return token;
}
