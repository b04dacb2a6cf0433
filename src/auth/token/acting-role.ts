import type { BearerRequest } from './bearer-token.js';
import { parseRole, type ActingRole } from './token-claims.js';

/** Chooses one of several roles of a token. */
export const ACTING_ROLE_HEADER = 'acting-role';

/** The role that a request is to be acted in; undefined where it does not say. Two of them are none of ours. */
export function readActingRole({ raw }: BearerRequest): ActingRole | undefined {
  const written = raw.headersDistinct[ACTING_ROLE_HEADER];
  if (written === undefined) return undefined;
  return (written.length === 1 ? parseRole(written[0]) : undefined) ?? 'OTHER';
}
