// eslint-disable-next-line no-restricted-imports -- Tokens are checked before the Clinic is known.
import type { EntityManager } from '@mikro-orm/core';

/** `horizon`: the oldest transaction that may still commit. The next read begins there and misses no row. */
type ChangedRow = { horizon: string };
/** `server`: when the server was started, which tells it from others. */
type FoundRow<Row> = Row & { server: string };

/** A transaction ID that is lower than any other. */
const BEGINNING = '0';

/**
 * Reads the rows of a table that were added or changed since the last read. The table has the column `changed_in`, the
 * ID of the transaction that changed the row last, so the cost of a read depends on the number of recent changes only.
 */
export class ChangeReader<Row extends ChangedRow> {
  private horizon = BEGINNING;
  private server: string | undefined;

  /**
   * @param statement selects the rows whose `changed_in` is at least its parameter, a transaction ID, with the horizon. If
   * nothing has changed, it returns one row in which only the horizon is set.
   */
  constructor(
    private readonly em: EntityManager,
    private readonly statement: string,
  ) {}

  /** Returns undefined if the table is that of another database, such as a restored one, and must be read as a whole. */
  async readChanges(): Promise<Row[] | undefined> {
    const rows = await this.find(this.horizon);
    const { server, horizon } = rows[0]!;
    const isOtherServer = this.server !== undefined && server !== this.server;
    // The horizon of a database never decreases. That of a promoted replica may be lower only until this read.
    if (isOtherServer || BigInt(horizon) < BigInt(this.horizon)) return undefined;
    this.server = server;
    this.horizon = horizon;
    return rows;
  }

  async readAll(): Promise<Row[]> {
    const rows = await this.find(BEGINNING);
    ({ server: this.server, horizon: this.horizon } = rows[0]!);
    return rows;
  }

  /** Does not use entities, which would take seconds for hundreds of thousands of rows. */
  private find(since: string): Promise<FoundRow<Row>[]> {
    const statement = `select pg_postmaster_start_time()::text as server, changed.* from (${this.statement}) changed`;
    return this.em.fork().getConnection().execute<FoundRow<Row>[]>(statement, [since]);
  }
}
