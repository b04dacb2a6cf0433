import type { BearerRequest } from './bearer-token.js';
import { parseRole, type ActingRole } from './token-claims.js';

/** Request header that selects one of the roles in the token. */
export const ACTING_ROLE_HEADER = 'acting-role';

/** The role that the header selects; undefined without the header, `UNKNOWN` for two headers or an unknown role. */
export function readActingRole({ raw }: BearerRequest): ActingRole | undefined {
  const written = raw.headersDistinct[ACTING_ROLE_HEADER];
  if (written === undefined) return undefined;
  return (written.length === 1 ? parseRole(written[0]) : undefined) ?? 'UNKNOWN';
}
