/*
 * Where the tables of a distributed database lie. All others stay on the coordinator: the queue, the audit trail, and
 * what is read before a Clinic is known.
 */

/** Tables that each server has a copy of. Their rows are few and change rarely. */
export const REFERENCE_TABLES = ['clinic', 'book'] as const;

/** Tables whose rows lie with their Clinic. */
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

/**
 * Tables with a Clinic in each row that stay on the coordinator, because jobs or administrators read them for all
 * Clinics.
 */
export const COORDINATOR_TABLES = [
  'administrator_access',
  'erasure',
  'legal_hold',
  'reminder_replanning',
  'retention_setting',
] as const;

/** Tables of the coordinator whose rows are committed with a change of rows of a Clinic, or neither is. */
export const COORDINATED_TABLES = [
  ...COORDINATOR_TABLES,
  'audit_entry',
  'idempotency_key',
  'revoked_token',
  'revoked_token_holder',
] as const;

/** Tables that only a distributed database has. */
export const TABLES_OF_DISTRIBUTION = ['coordinated_commit', 'distribution_foreign_key'] as const;

/** The column by which rows are distributed. */
export const DISTRIBUTION_COLUMN = 'clinic_id';
