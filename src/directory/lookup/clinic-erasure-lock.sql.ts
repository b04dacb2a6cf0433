import { sql, type RawBuilder } from 'kysely';

/*
 * An advisory lock for each Clinic. A lock of the Clinic's row would need the right to change the row, which Clinics do
 * not have, and would need all servers of a distributed database.
 */

/**
 * Builds the statement with which a transaction prevents the erasure of a Clinic until it ends. Transactions that create
 * rows which an erasure deletes or overwrites need it.
 */
export function acquireSharedErasureLockSql(clinicId: number): RawBuilder<unknown> {
  return sql`select pg_advisory_xact_lock_shared(${toLockKey(clinicId)})`;
}

/** Builds the statement with which an erasure of a Clinic waits for transactions that prevent it. */
export function acquireExclusiveErasureLockSql(clinicId: number): RawBuilder<unknown> {
  return sql`select pg_advisory_xact_lock(${toLockKey(clinicId)})`;
}

function toLockKey(clinicId: number): RawBuilder<unknown> {
  return sql`hashtextextended(${`erasure of clinic ${clinicId}`}, 0)`;
}
