import { sql, type RawBuilder } from 'kysely';

/*
 * Advisory locks for each Clinic. A lock of the Clinic's row would need the right to change the row, which Clinics do not
 * have, and would need all servers of a distributed database.
 */

/**
 * The purposes of a lock:
 *
 * - `erasure`: transactions that create rows which an erasure of the Clinic deletes or overwrites share it.
 * - `retention`: transactions that change which expired data is removed share it. Retention may have read its rules before
 *   them, and would otherwise delete after them.
 * - `revocations`: requests that count the revocations of the Clinic hold it alone.
 */
type ClinicLockPurpose = 'erasure' | 'retention' | 'revocations';

/** Builds the statement with which a transaction holds a lock together with others until it ends. */
export function acquireSharedClinicLockSql(purpose: ClinicLockPurpose, clinicId: number): RawBuilder<unknown> {
  return sql`select pg_advisory_xact_lock_shared(${toLockKey(purpose, clinicId)})`;
}

/**
 * Builds the statement with which a transaction waits for all others that have the lock, and holds it alone.
 *
 * @param clinicId null for administrators, who have no Clinic
 */
export function acquireExclusiveClinicLockSql(
  purpose: ClinicLockPurpose,
  clinicId: number | null,
): RawBuilder<unknown> {
  return sql`select pg_advisory_xact_lock(${toLockKey(purpose, clinicId)})`;
}

function toLockKey(purpose: ClinicLockPurpose, clinicId: number | null): RawBuilder<unknown> {
  return sql`hashtextextended(${`${purpose} of clinic ${clinicId}`}, 0)`;
}
