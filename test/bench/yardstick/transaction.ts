import pg from 'pg';
import type { Caller } from './token.js';

/** A statement that PostgreSQL parses once a connection. */
export type Statement = { name: string; text: string };
export type Run = <Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]) => Promise<Row[]>;

/*
 * The one place for what every request does beside its own work. What the product does with every request (who the
 * database works for, the audit row, limits, Idempotency-Key) belongs here, in as few statements as can be.
 */

export class Transactions {
  private readonly pool: pg.Pool;

  /** As many connections as the product has by default. */
  constructor(connectionString: string) {
    this.pool = new pg.Pool({ connectionString, max: 10, connectionTimeoutMillis: 5_000 });
  }

  /** A write, as the caller. */
  write<T>(caller: Caller, work: (run: Run) => Promise<T>): Promise<T> {
    return this.transact(`begin; ${sessionOf(caller)}`, work);
  }

  /** A read: it sees one moment. */
  read<T>(caller: Caller, work: (run: Run) => Promise<T>): Promise<T> {
    return this.transact(`begin isolation level repeatable read; ${sessionOf(caller)}`, work);
  }

  async isReady(): Promise<boolean> {
    return this.pool.query('select').then(
      () => true,
      () => false,
    );
  }

  private async transact<T>(begin: string, work: (run: Run) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    try {
      await client.query(begin);
      const answer = await work(
        async (statement, values) => (await client.query({ ...statement, values })).rows as never,
      );
      await client.query('commit');
      client.release();
      return answer;
    } catch (error) {
      const isUndone = await client.query('rollback').then(
        () => true,
        () => false,
      );
      client.release(!isUndone);
      throw error;
    }
  }
}

/** Row-level security knows by this whose rows to show. Both values are checked: a word of ours and a whole number. */
function sessionOf({ role, id }: Caller): string {
  return `select set_config('role', 'scheduling_service', true), set_config('app.caller_kind', '${role}', true), set_config('app.caller_id', '${id}', true)`;
}
