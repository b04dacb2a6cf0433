// eslint-disable-next-line no-restricted-imports -- Tokens are checked before the Clinic is known.
import { EntityManager } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { toHolderKey, type TokenHolder } from './token-holder.js';

/** A row of `read_revoked_token_holders`. Without a change, there is one row with the horizon only. */
type CutoffRow = {
  horizon: string;
  subject: string | null;
  role: TokenHolder['role'];
  record_id: string | null;
  issued_before: number | null;
};

/** Precedes all transactions. */
const BEGINNING = '0';

/**
 * Keeps in memory before when the tokens of a subject or directory record must have been issued to be refused. One entry
 * for each holder; the last cut-off counts.
 */
@Injectable()
export class HolderCutoffs {
  /** Milliseconds since 1970, by the key of the holder. */
  private cutoffs = new Map<string, number>();
  /** Entries since the last `readAll` began, which may not be in its snapshot. */
  private addedSince = new Map<string, number>();
  private horizon = BEGINNING;

  constructor(private readonly em: EntityManager) {}

  get size(): number {
    return this.cutoffs.size;
  }

  /**
   * Returns whether a token of one of these holders is refused.
   *
   * @param issuedAt milliseconds since 1970; undefined for a token that does not say it, which is refused
   */
  covers(holderKeys: readonly string[], issuedAt: number | undefined): boolean {
    if (this.cutoffs.size === 0) return false;
    return holderKeys.some((key) => {
      const cutoff = this.cutoffs.get(key);
      return cutoff !== undefined && (issuedAt === undefined || issuedAt < cutoff);
    });
  }

  /** Adds a committed revocation of this instance. */
  add(holder: TokenHolder, issuedBefore: Temporal.Instant): void {
    this.raise(toHolderKey(holder), issuedBefore.epochMilliseconds);
  }

  /** Reads what has changed since the last read. */
  async readChanges(): Promise<void> {
    const rows = await this.find(this.horizon);
    // Only another database, such as a restored one, has an older horizon. Its changes cannot be found by this one.
    if (BigInt(rows[0]!.horizon) < BigInt(this.horizon)) return this.readAll();
    for (const [key, cutoff] of toEntries(rows)) this.raise(key, cutoff);
    this.horizon = rows[0]!.horizon;
  }

  /** Reads the whole table, which forgets what has expired. */
  async readAll(): Promise<void> {
    const addedSince = (this.addedSince = new Map<string, number>());
    const rows = await this.find(BEGINNING);
    const cutoffs = new Map<string, number>();
    for (const [key, cutoff] of [...toEntries(rows), ...addedSince]) raise(cutoffs, key, cutoff);
    this.cutoffs = cutoffs;
    this.horizon = rows[0]!.horizon;
  }

  private raise(key: string, cutoff: number): void {
    raise(this.cutoffs, key, cutoff);
    raise(this.addedSince, key, cutoff);
  }

  private find(since: string): Promise<CutoffRow[]> {
    const statement = 'select * from read_revoked_token_holders(?::text::xid8)';
    return this.em.fork().getConnection().execute<CutoffRow[]>(statement, [since]);
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
