import pg from 'pg';
import type { AuthenticatedCaller } from './token.js';

/** A statement that PostgreSQL parses once per connection. */
export type Statement = { name: string; text: string };
/** Maximum number of records that an audit entry lists. Further records are only counted. */
const MAX_RECORDS = 1_000;
export type StatementRunner = <Row extends pg.QueryResultRow>(
  statement: Statement,
  values: unknown[],
) => Promise<Row[]>;

/** The audit entry of a request. */
export type AuditEntryInput = { operation: string; requestId: string; address: string; records: readonly string[] };

const AUDIT = {
  name: 'audit',
  text: `
    insert into audit_entry (at, actor_role, actor_id, actor_subject, access, operation, records, record_count,
      request_id, address, outcome)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'OK')`,
};

/*
 * The work that every request has in common. Sets the actor of the transaction and writes the audit entry, as the
 * product does, with as few statements as possible.
 */

export class Transactions {
  readonly pool: pg.Pool;

  /** Creates a pool with the number of connections that the product has by default. */
  constructor(connectionString: string) {
    this.pool = new pg.Pool({ connectionString, min: 10, max: 10, connectionTimeoutMillis: 5_000 });
  }

  /** Runs a write with the rights of the caller. */
  write<T>(
    caller: AuthenticatedCaller,
    work: (run: StatementRunner) => Promise<T>,
    entryOf: (answer: T) => AuditEntryInput,
  ): Promise<T> {
    return this.transact(`begin; ${sessionOf(caller)}`, async (run) => {
      const answer = await work(run);
      await audit(run, caller, 'WRITE', entryOf(answer));
      return answer;
    });
  }

  /** Runs a read on one snapshot. Reads of client data write an audit entry. */
  read<T>(
    caller: AuthenticatedCaller,
    work: (run: StatementRunner) => Promise<T>,
    entryOf?: (answer: T) => AuditEntryInput,
  ): Promise<T> {
    return this.transact(`begin isolation level repeatable read; ${sessionOf(caller)}`, async (run) => {
      const answer = await work(run);
      if (entryOf !== undefined) await audit(run, caller, 'READ', entryOf(answer));
      return answer;
    });
  }

  async isReady(): Promise<boolean> {
    return this.pool.query('select').then(
      () => true,
      () => false,
    );
  }

  private async transact<T>(begin: string, work: (run: StatementRunner) => Promise<T>): Promise<T> {
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

/**
 * Row-level security reads the Clinic, which the database looks up by the caller. The values are safe in SQL: a
 * constant of this program and an integer.
 */
function sessionOf({ role, id }: AuthenticatedCaller): string {
  return `select set_config('role', 'scheduling_service', true), set_config('app.caller_kind', '${role}', true), set_config('app.caller_id', '${id}', true), set_config('app.clinic_id', current_clinic()::text, true)`;
}

async function audit(
  run: StatementRunner,
  caller: AuthenticatedCaller,
  access: string,
  entry: AuditEntryInput,
): Promise<void> {
  const { role, id, subject } = caller;
  const { operation, records, requestId, address } = entry;
  const [now, kept] = [new Date().toISOString(), records.slice(0, MAX_RECORDS)];
  await run(AUDIT, [now, role, id, subject, access, operation, kept, records.length, requestId, address]);
}
