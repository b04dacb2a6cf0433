/*
 * Defines where the tables of a distributed database are stored. Tables that are neither copied to each server nor
 * distributed stay on the coordinator, such as the queue, the audit trail, and tables that are read before a Clinic is
 * known.
 */

/** Tables of which each server has a copy. They have few rows, which rarely change. */
export const REFERENCE_TABLES = ['clinic', 'book'] as const;

/** Tables whose rows are stored on the server of their Clinic. */
export const DISTRIBUTED_TABLES = [
  'care_provider',
  'client',
  'client_assignment',
  'design_plan',
  'design_plan_revision',
  'session_series',
  'session',
  'homework',
  'reminder',
  'reminder_preference',
  'calendar_link',
  'opt_out_link',
  'hidden_session',
  'removed_session',
  'removed_homework',
  'removed_record',
] as const;

/** Whether a distributed database stores the rows of a table on the server of their Clinic. */
export function isDistributedTable(table: string): boolean {
  return (DISTRIBUTED_TABLES as readonly string[]).includes(table);
}

/**
 * Tables that have a Clinic in each row but stay on the coordinator, because jobs or administrators read them across
 * all Clinics.
 */
export const COORDINATOR_TABLES = [
  'administrator_access',
  'clinic_move',
  'erasure',
  'legal_hold',
  'reminder_replanning',
  'retention_setting',
] as const;

/**
 * Tables on the coordinator whose changes must be committed together with changes to rows of a Clinic, or not at all.
 */
export const TWO_PHASE_COMMIT_TABLES = [
  ...COORDINATOR_TABLES,
  'audit_entry',
  'idempotency_key',
  'revoked_token',
  'revoked_token_holder',
] as const;

/** Tables that exist only in a distributed database. */
export const DISTRIBUTION_BOOKKEEPING_TABLES = [
  'coordinated_commit',
  'distribution_definition',
  'distribution_foreign_key',
] as const;

/** The column by which rows are distributed. */
export const DISTRIBUTION_COLUMN = 'clinic_id';
