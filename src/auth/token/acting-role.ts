import type { BearerRequest } from './bearer-token.js';
import { parseRole } from './role-claim.js';
import type { ActingRole } from './token-claims.js';

/** Request header that selects one of the roles in the token. */
export const ACTING_ROLE_HEADER = 'acting-role';

/**
 * Returns the role that the header selects, `UNKNOWN` if the header is repeated or names an unknown role, or undefined
 * if the header is absent.
 */
export function readActingRole({ raw }: BearerRequest): ActingRole | undefined {
  const written = raw.headersDistinct[ACTING_ROLE_HEADER];
  if (written === undefined) return undefined;
  return (written.length === 1 ? parseRole(written[0]) : undefined) ?? 'UNKNOWN';
}
