// eslint-disable-next-line no-restricted-imports -- Revoked tokens belong to no Clinic.
import type { EntityManager } from '@mikro-orm/core';

/** A row of the table. It is settled if no transaction that may still commit can have a lower ID. */
type Row = { id: number; jti: string; is_settled: boolean };

/**
 * A row gets its ID before its transaction commits, so a row with a lower ID may appear later. Statements and idle
 * transactions are cancelled long before this time.
 */
const SETTLED_AFTER = '10 minutes';
/** Deleted rows are forgotten after this time at the latest. Only rows of expired tokens are deleted. */
const WHOLE_READ_INTERVAL_MS = 3_600_000;

/**
 * The IDs of revoked tokens in memory. The table is read once as a whole, and then from the last settled row, so the cost
 * of a read depends only on the number of recent revocations.
 */
export class RevokedTokenIds {
  private settled = new Set<string>();
  private recent: ReadonlySet<string> = new Set();
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
    this.add(rows);
  }

  private async readAll(): Promise<void> {
    const startedAt = performance.now();
    const rows = await this.find(0);
    this.settled = new Set();
    this.lastSettled = undefined;
    this.add(rows);
    this.wholeReadAt = startedAt;
  }

  private add(rows: readonly Row[]): void {
    const firstRecent = rows.findLastIndex((row) => row.is_settled) + 1;
    for (const { jti } of rows.slice(0, firstRecent)) this.settled.add(jti);
    this.lastSettled = rows[firstRecent - 1] ?? this.lastSettled;
    this.recent = new Set(rows.slice(firstRecent).map(({ jti }) => jti));
  }

  /** Does not use entities, which would take seconds for hundreds of thousands of rows. */
  private find(fromId: number): Promise<Row[]> {
    const statement = `
      select id::float8 as id, jti, revoked_at <= now() - interval '${SETTLED_AFTER}' as is_settled
      from revoked_token where revoked_token.id >= ? order by revoked_token.id`;
    return this.em.fork().getConnection().execute<Row[]>(statement, [fromId]);
  }
}
