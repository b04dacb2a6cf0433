// eslint-disable-next-line no-restricted-imports -- Revoked tokens belong to no Clinic.
import type { EntityManager } from '@mikro-orm/core';

/** `is_old`: whether the token was revoked more than `SETTLED_AFTER_MS` ago. */
type Row = { id: number; jti: string; is_old: boolean };

/**
 * A row is settled this long after this instance has read it first: from then on, no row with a lower ID appears. A row
 * gets its ID before its transaction commits, but statements and idle transactions are cancelled long before this time.
 */
const SETTLED_AFTER_MS = 600_000;
/** Deleted rows are forgotten after this time at the latest. Only rows of expired tokens are deleted. */
const WHOLE_READ_INTERVAL_MS = 3_600_000;

/**
 * The IDs of revoked tokens in memory. The table is read once as a whole, and then from the last settled row, so the cost
 * of a read depends only on the number of recent revocations.
 */
export class RevokedTokenIds {
  private settled = new Set<string>();
  /** When this instance read each row after the last settled one first, in milliseconds of `performance.now()`. */
  private recent: ReadonlyMap<string, number> = new Map();
  private lastSettled: Row | undefined;
  private wholeReadAt = 0;

  constructor(private readonly em: EntityManager) {}

  get size(): number {
    return this.settled.size + this.recent.size;
  }

  has(jti: string): boolean {
    return this.settled.has(jti) || this.recent.has(jti);
  }

  /** Reads the revocations since the last settled one. */
  async readChanges(): Promise<void> {
    const { lastSettled } = this;
    if (lastSettled === undefined || performance.now() - this.wholeReadAt >= WHOLE_READ_INTERVAL_MS)
      return this.readAll();
    const [first, ...rows] = await this.find(lastSettled.id);
    // Without this row, the table may be that of another database, such as a restored one.
    if (first?.id !== lastSettled.id || first.jti !== lastSettled.jti) return this.readAll();
    this.add(rows, performance.now());
  }

  private async readAll(): Promise<void> {
    const now = performance.now();
    const rows = await this.find(0);
    const old = rows.filter((row) => row.is_old);
    this.settled = new Set();
    this.recent = new Map(old.map(({ jti }) => [jti, now - SETTLED_AFTER_MS]));
    this.lastSettled = undefined;
    this.add(rows, now);
    this.wholeReadAt = now;
  }

  /** @param rows all rows after the last settled one */
  private add(rows: readonly Row[], now: number): void {
    const readAt = new Map(rows.map(({ jti }) => [jti, this.recent.get(jti) ?? now]));
    const end = rows.findLastIndex(({ jti }) => now - readAt.get(jti)! >= SETTLED_AFTER_MS) + 1;
    for (const { jti } of rows.slice(0, end)) {
      this.settled.add(jti);
      readAt.delete(jti);
    }
    this.lastSettled = rows[end - 1] ?? this.lastSettled;
    this.recent = readAt;
  }

  /** Does not use entities, which would take seconds for hundreds of thousands of rows. */
  private find(fromId: number): Promise<Row[]> {
    const statement = `
      select id::float8 as id, jti, revoked_at <= now() - interval '1 millisecond' * ${SETTLED_AFTER_MS} as is_old
      from revoked_token where revoked_token.id >= ? order by revoked_token.id`;
    return this.em.fork().getConnection().execute<Row[]>(statement, [fromId]);
  }
}
