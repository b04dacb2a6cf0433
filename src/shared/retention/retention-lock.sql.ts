import { sql, type RawBuilder } from 'kysely';

/*
 * An advisory lock for each Clinic. Without it, retention would remove data that a request has just decided to keep: it
 * may have read its rules before the request, and delete after it.
 */

/**
 * Builds the statement with which a transaction prevents the removal of expired Session data of a Clinic until it ends.
 * Transactions that change what retention removes need it: a setting, a legal hold, or a reminder that is sent again.
 */
export function acquireSharedRetentionLockSql(clinicId: number): RawBuilder<unknown> {
  return sql`select pg_advisory_xact_lock_shared(${toLockKey(clinicId)})`;
}

/** Builds the statement with which retention waits for these transactions, before it reads what it removes. */
export function acquireExclusiveRetentionLockSql(clinicId: number): RawBuilder<unknown> {
  return sql`select pg_advisory_xact_lock(${toLockKey(clinicId)})`;
}

function toLockKey(clinicId: number): RawBuilder<unknown> {
  return sql`hashtextextended(${`retention of clinic ${clinicId}`}, 0)`;
}
