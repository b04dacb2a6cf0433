import { hash } from 'node:crypto';
import type { Principal } from '../../shared/access/index.js';
import { getSystemTimeMs } from '../../shared/time/index.js';
import type { RevocableToken } from '../revocation/deny-list.js';

/** The result of a successful verification. */
export type VerifiedToken = RevocableToken & {
  principal: Principal;
  /** Expiry, in seconds since 1970. */
  exp: number;
};

type CacheEntry = VerifiedToken & { keyVersion: number };

/** Capacity of the cache. A full cache uses about 5 MB. */
const MAX_TOKENS = 10_000;

/**
 * Caches verified tokens, because callers send the same token with every request. Entries are stored under a digest of
 * the token, so the cache contains no tokens. An entry is valid until the token expires or the keys change.
 */
export class VerifiedTokenCache {
  private readonly entries = new Map<string, CacheEntry>();

  /** @param keyVersion version of the current keys; undefined if the keys must be fetched first */
  get(token: string, keyVersion: number | undefined): VerifiedToken | undefined {
    const digest = computeDigest(token);
    const entry = this.entries.get(digest);
    if (entry === undefined) return undefined;
    if (entry.keyVersion === keyVersion && getSystemTimeMs() < entry.exp * 1000) return entry;
    this.entries.delete(digest);
    return undefined;
  }

  /** Adds a token. If the cache is full, the oldest entry is removed. */
  add(token: string, keyVersion: number, verified: VerifiedToken): void {
    if (this.entries.size >= MAX_TOKENS) this.entries.delete(this.entries.keys().next().value!);
    this.entries.set(computeDigest(token), { ...verified, keyVersion });
  }
}

function computeDigest(token: string): string {
  return hash('sha256', token, 'base64');
}
