import { sql, type RawBuilder } from 'kysely';

/*
 * An advisory lock for each Clinic: transactions that create its people hold it together, and its erasure holds it alone.
 * A lock of the Clinic's row needs the right to change the row, which Clinics do not have.
 */

export function lockNewPeopleSql(clinicId: number): RawBuilder<unknown> {
  return sql`select pg_advisory_xact_lock_shared(${toLockKey(clinicId)})`;
}

export function waitForNewPeopleSql(clinicId: number): RawBuilder<unknown> {
  return sql`select pg_advisory_xact_lock(${toLockKey(clinicId)})`;
}

function toLockKey(clinicId: number): RawBuilder<unknown> {
  return sql`hashtextextended(${`new people of clinic ${clinicId}`}, 0)`;
}
