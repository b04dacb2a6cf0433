import { hash } from 'node:crypto';
import type { Principal } from '../../shared/access/index.js';
import { machineTime } from '../../shared/time/index.js';

/** What a token says once it has been verified. */
export type VerifiedToken = {
  principal: Principal;
  jti: string | undefined;
  /** When it ends, in seconds since 1970. */
  exp: number;
};

type CacheEntry = VerifiedToken & { keyVersion: number };

/** About 5 MB. */
const MAX_TOKENS = 10_000;

/**
 * Tokens that were verified a moment ago, as callers send theirs again and again. Each is found by its digest, so
 * that none can be read out of the memory, and holds no longer than its end and the keys that verified it.
 */
export class VerifiedTokenCache {
  private readonly entries = new Map<string, CacheEntry>();

  /** @param keyVersion the version of the keys; undefined when they must be looked for first */
  get(token: string, keyVersion: number | undefined): VerifiedToken | undefined {
    const digest = computeDigest(token);
    const entry = this.entries.get(digest);
    if (entry === undefined) return undefined;
    if (entry.keyVersion === keyVersion && machineTime() < entry.exp * 1000) return entry;
    this.entries.delete(digest);
    return undefined;
  }

  /** Keeps one, and forgets the oldest when there are too many. */
  add(token: string, keyVersion: number, verified: VerifiedToken): void {
    if (this.entries.size >= MAX_TOKENS) this.entries.delete(this.entries.keys().next().value!);
    this.entries.set(computeDigest(token), { ...verified, keyVersion });
  }
}

function computeDigest(token: string): string {
  return hash('sha256', token, 'base64');
}
