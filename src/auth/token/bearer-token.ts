import type { IncomingMessage } from 'node:http';
import { tokenRefused } from './token-refusal.js';

/** All that authentication reads of a request. */
export type BearerRequest = { raw: Pick<IncomingMessage, 'headersDistinct'> };

/**
 * The token of the one Authorization header (RFC 6750, section 2.1), and from nowhere else. Of two headers Node would
 * take the first and somebody on the way perhaps the second. The scheme word is read in any letter case.
 *
 * @throws UnauthenticatedError
 */
export function readBearerToken({ raw }: BearerRequest): string {
  const headers = raw.headersDistinct['authorization'];
  if (headers === undefined) throw tokenRefused('NO_TOKEN');
  const token = headers.length === 1 ? /^bearer +(\S+)$/i.exec(headers[0]!)?.[1] : undefined;
  if (token === undefined) throw tokenRefused('NOT_ONE_BEARER_TOKEN');
  return token;
}
