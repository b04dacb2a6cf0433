import { sql, type RawBuilder } from 'kysely';

/*
 * An advisory lock for each Clinic. An advisory lock is used because a lock of the Clinic's row needs the right to change
 * the row, which Clinics do not have.
 */

/** Builds the statement with which a transaction that creates people of a Clinic prevents the erasure of the Clinic. */
export function acquireSharedNewPeopleLockSql(clinicId: number): RawBuilder<unknown> {
  return sql`select pg_advisory_xact_lock_shared(${toLockKey(clinicId)})`;
}

/** Builds the statement with which an erasure of a Clinic waits for transactions that create people of the Clinic. */
export function acquireExclusiveNewPeopleLockSql(clinicId: number): RawBuilder<unknown> {
  return sql`select pg_advisory_xact_lock(${toLockKey(clinicId)})`;
}

function toLockKey(clinicId: number): RawBuilder<unknown> {
  return sql`hashtextextended(${`new people of clinic ${clinicId}`}, 0)`;
}
