import { hash, randomBytes } from 'node:crypto';

/** Generates a secret of 256 random bits, encoded as base64url. */
export function generateLinkSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Returns the hexadecimal hash to store. A secret with 256 random bits needs neither salt nor key stretching. */
export function hashLinkSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}
