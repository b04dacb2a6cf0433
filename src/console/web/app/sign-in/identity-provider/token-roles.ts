import { readRoles } from '../../../../../auth/token/role-claim.js';
import type { Role } from '../sign-in.js';

/**
 * Returns the roles in an access token, from which the user can choose. The signature is not verified, because the
 * service checks each request. Returns no roles if the token cannot be parsed, for example because it is opaque.
 */
export function readTokenRoles(token: string, roleClaim: string): Role[] {
  const [, payload = ''] = token.split('.');
  try {
    const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0));
    return readRoles(JSON.parse(new TextDecoder().decode(bytes)), { role: roleClaim }, true);
  } catch {
    return [];
  }
}
