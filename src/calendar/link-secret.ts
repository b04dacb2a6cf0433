import { hash, randomBytes } from 'node:crypto';

/** Returns 256 random bits, base64url. */
export function generateLinkSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Returns the hexadecimal hash that is stored. The secret has 256 random bits, so no salt or key stretching is needed. */
export function hashLinkSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}
