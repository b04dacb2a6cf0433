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

type Kept = VerifiedToken & { keys: number };

/** About 5 MB. */
const MOST = 10_000;

/**
 * Tokens that were verified a moment ago, as callers send theirs again and again. Each is found by its digest, so
 * that none can be read out of the memory, and holds no longer than its end and the keys that verified it.
 */
export class VerifiedTokens {
  private readonly tokens = new Map<string, Kept>();

  /** @param keys the version of the keys; undefined when they must be looked for first */
  get(token: string, keys: number | undefined): VerifiedToken | undefined {
    const digest = digestOf(token);
    const kept = this.tokens.get(digest);
    if (kept === undefined) return undefined;
    if (kept.keys === keys && machineTime() < kept.exp * 1000) return kept;
    this.tokens.delete(digest);
    return undefined;
  }

  /** Keeps one, and forgets the oldest when there are too many. */
  keep(token: string, keys: number, verified: VerifiedToken): void {
    if (this.tokens.size >= MOST) this.tokens.delete(this.tokens.keys().next().value!);
    this.tokens.set(digestOf(token), { ...verified, keys });
  }
}

function digestOf(token: string): string {
  return hash('sha256', token, 'base64');
}
