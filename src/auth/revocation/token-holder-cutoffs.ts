// eslint-disable-next-line no-restricted-imports -- Tokens are checked before the Clinic is known.
import { EntityManager } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { ChangeReader } from './change-reader.js';
import { toHolderKey, type TokenHolder } from './token-holder.js';

/** A row of the database function `read_revoked_token_holders`. */
type CutoffRow = {
  horizon: string;
  subject: string | null;
  role: TokenHolder['role'];
  record_id: string | null;
  issued_before: number | null;
};

const CHANGED_SINCE = 'select * from read_revoked_token_holders(?::text::xid8)';

/**
 * Keeps the revocations of token holders in memory. Each holder, a subject or directory record, has a cut-off: tokens
 * that were issued before it are refused. If a holder is revoked several times, the latest cut-off applies.
 */
@Injectable()
export class TokenHolderCutoffs {
  /** The cut-offs in milliseconds since 1970, by holder key (see `toHolderKey`). */
  private cutoffs = new Map<string, number>();
  /** Cut-offs added while `readAll` runs, because its snapshot may not contain them; undefined while it does not run. */
  private addedMeanwhile: Map<string, number> | undefined;
  private readonly changes: ChangeReader<CutoffRow>;

  constructor(em: EntityManager) {
    this.changes = new ChangeReader(em, CHANGED_SINCE);
  }

  get size(): number {
    return this.cutoffs.size;
  }

  /**
   * Returns whether a token of one of these holders is refused.
   *
   * @param issuedAt issue time in milliseconds since 1970; undefined if the token has no `iat`, in which case it is
   * refused
   */
  isRevoked(holderKeys: readonly string[], issuedAt: number | undefined): boolean {
    if (this.cutoffs.size === 0) return false;
    return holderKeys.some((key) => {
      const cutoff = this.cutoffs.get(key);
      return cutoff !== undefined && (issuedAt === undefined || issuedAt < cutoff);
    });
  }

  /** Adds a revocation that this instance has committed. */
  add(holder: TokenHolder, issuedBefore: Temporal.Instant): void {
    this.raise(toHolderKey(holder), issuedBefore.epochMilliseconds);
  }

  /** Reads the revocations that were added or changed since the last read. */
  async readChanges(): Promise<void> {
    const rows = await this.changes.readChanges();
    if (rows === undefined) return this.readAll();
    for (const [key, cutoff] of toEntries(rows)) this.raise(key, cutoff);
  }

  /** Reads the whole table. Revocations that are no longer stored are removed from memory. */
  async readAll(): Promise<void> {
    const added = (this.addedMeanwhile = new Map<string, number>());
    try {
      const rows = await this.changes.readAll();
      const cutoffs = new Map<string, number>();
      for (const [key, cutoff] of [...toEntries(rows), ...added]) raise(cutoffs, key, cutoff);
      this.cutoffs = cutoffs;
    } finally {
      if (this.addedMeanwhile === added) this.addedMeanwhile = undefined;
    }
  }

  private raise(key: string, cutoff: number): void {
    raise(this.cutoffs, key, cutoff);
    if (this.addedMeanwhile !== undefined) raise(this.addedMeanwhile, key, cutoff);
  }
}

function toEntries(rows: readonly CutoffRow[]): [string, number][] {
  return rows.flatMap(({ subject, role, record_id: id, issued_before: cutoff }): [string, number][] =>
    cutoff === null ? [] : [[toHolderKey({ subject, role, recordId: id && Number(id) } as TokenHolder), cutoff]],
  );
}

function raise(cutoffs: Map<string, number>, key: string, cutoff: number): void {
  const known = cutoffs.get(key);
  if (known === undefined || known < cutoff) cutoffs.set(key, cutoff);
}
