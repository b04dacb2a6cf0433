import { hash, randomBytes } from 'node:crypto';

/** 256 bits that nobody guesses, as they stand in a URL. */
export function generateLinkSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** What is kept of a secret. It is random throughout, so that one round without salt is enough. */
export function hashLinkSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}
