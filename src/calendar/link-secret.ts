import { hash, randomBytes } from 'node:crypto';

/** 256 bits that nobody guesses, as they stand in a URL. */
export function newLinkSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** What is kept of a secret. It is random throughout, so that one round without salt is enough. */
export function digestOf(secret: string): string {
  return hash('sha256', secret, 'hex');
}
