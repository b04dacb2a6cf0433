import type { BearerRequest } from './bearer-token.js';
import { roleOf, type ActingRole } from './token-claims.js';

/** Chooses one of several roles of a token. */
export const ACTING_ROLE = 'acting-role';

/** The role that a request is to be acted in; undefined where it does not say. Two of them are none of ours. */
export function actingRole({ raw }: BearerRequest): ActingRole | undefined {
  const written = raw.headersDistinct[ACTING_ROLE];
  if (written === undefined) return undefined;
  return (written.length === 1 ? roleOf(written[0]) : undefined) ?? 'OTHER';
}
