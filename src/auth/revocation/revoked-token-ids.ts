// eslint-disable-next-line no-restricted-imports -- Revoked tokens belong to no Clinic.
import type { EntityManager } from '@mikro-orm/core';
import { ChangeReader } from './change-reader.js';

const CHANGED_SINCE = `
  select now.horizon::text, t.jti from (select pg_snapshot_xmin(pg_current_snapshot()) as horizon) now
  left join revoked_token t on t.changed_in >= ?::text::xid8`;

/** Keeps the IDs of revoked tokens in memory. */
export class RevokedTokenIds {
  private ids = new Set<string>();
  /** IDs added while `readAll` runs, because its snapshot may not contain them; undefined while it does not run. */
  private addedMeanwhile: Set<string> | undefined;
  private readonly changes: ChangeReader<{ horizon: string; jti: string | null }>;

  constructor(em: EntityManager) {
    this.changes = new ChangeReader(em, CHANGED_SINCE);
  }

  get size(): number {
    return this.ids.size;
  }

  has(jti: string): boolean {
    return this.ids.has(jti);
  }

  /** Adds the ID of a token whose revocation this instance has committed. */
  add(jti: string): void {
    this.ids.add(jti);
    this.addedMeanwhile?.add(jti);
  }

  /** Reads the revocations that were added since the last read. */
  async readChanges(): Promise<void> {
    const rows = await this.changes.readChanges();
    if (rows === undefined) return this.readAll();
    for (const { jti } of rows) if (jti !== null) this.add(jti);
  }

  /** Reads the whole table. Revocations that are no longer stored are removed from memory. */
  async readAll(): Promise<void> {
    const added = (this.addedMeanwhile = new Set<string>());
    try {
      const rows = await this.changes.readAll();
      this.ids = new Set(rows.map(({ jti }) => jti).filter((jti) => jti !== null));
      for (const jti of added) this.ids.add(jti);
    } finally {
      if (this.addedMeanwhile === added) this.addedMeanwhile = undefined;
    }
  }
}
