/**
 * The database roles. The service logs in with the first, which can access only a few tables without tenant data. Each
 * transaction that accesses tenant data sets one of the others.
 */
export const DATABASE_ROLES = {
  /** The login role of the service. Inherits no privileges. */
  login: 'scheduling_app',
  /** Requests: access to the rows of the caller's Clinic. */
  service: 'scheduling_service',
  /** Administrator requests: access to Clinics and the shared catalogue, but not to personal data. */
  admin: 'scheduling_admin',
  /** Reminder dispatch across all Clinics: reads the tables that messages need, and writes reminders. */
  reminders: 'scheduling_reminders',
  /** Maintenance across all Clinics: deletes expired rows, but cannot read their contents. */
  maintenance: 'scheduling_maintenance',
  /** Sealing and verification of the audit trail across all Clinics. */
  audit: 'scheduling_audit',
  /** Changes made by the service itself across all Clinics: recomputes Sessions and reminders. */
  system: 'scheduling_system',
  /** Metrics across all Clinics: row counts and ages, without personal data. */
  monitoring: 'scheduling_monitoring',
} as const;

/** Creates a role if it does not exist. Databases on one server share roles, so another may have created it. */
export function createRole(role: string): string {
  return `
    do $$ begin
      if not exists (select from pg_roles where rolname = '${role}') then create role ${role} nologin noinherit; end if;
    exception when duplicate_object or unique_violation then null;
    end $$`;
}

/** Allows the login role to switch to the given roles. */
export function allowServiceToActAs(...roles: string[]): string {
  return grantRoles(roles, DATABASE_ROLES.login);
}

/** Makes the migrating account a member of the login role, so that a trial installation needs only one account. */
export function allowOwnerToActAsService(): string {
  return grantRoles([DATABASE_ROLES.login], 'current_user');
}

/** Allows a role to switch to the given roles. */
export function grantRoles(roles: readonly string[], to: string): string {
  return `
    do $$ begin
      grant ${roles.join(', ')} to ${to};
    exception when unique_violation or internal_error then null; -- another database of the server does so at this moment
    end $$`;
}

/**
 * The Clinic of the transaction, which the service sets (`src/shared/persistence/tenancy`). Instances of the release
 * before the migration "transaction-clinic" set only the caller, whose Clinic `current_clinic()` looks up. It is not
 * called where the Clinic is set.
 */
export const TRANSACTION_CLINIC = `coalesce(nullif(current_setting('app.clinic_id', true), '')::bigint, current_clinic())`;

/** The condition that a row belongs to the Clinic of the transaction. */
export const OWN_CLINIC = `clinic_id = ${TRANSACTION_CLINIC}`;

/** The condition before the migration "transaction-clinic". */
export const CALLERS_CLINIC = 'clinic_id = (select current_clinic())';

const ALL_RIGHTS = 'select, insert, update, delete';

/**
 * Returns the statements that enable and force row-level security on a tenant table. Use them in the migration that
 * creates the table. An explicit policy lets the owner see all rows; requests see only the rows of their Clinic.
 */
export function enableTenantIsolation(table: string, rights = ALL_RIGHTS, ownRows = OWN_CLINIC): string[] {
  return [
    ...restrictToOwner(table),
    `create policy tenant on ${table} to ${DATABASE_ROLES.service} using (${ownRows})`,
    `grant ${rights} on ${table} to ${DATABASE_ROLES.service}`,
  ];
}

/** Like `enableTenantIsolation`, for the migrations before "transaction-clinic", whose result must not change. */
export function toCallerIsolationStatements(table: string, rights = ALL_RIGHTS, ownRows = CALLERS_CLINIC): string[] {
  return enableTenantIsolation(table, rights, ownRows);
}

/** Returns the statements that restrict a table to its owner until policies and grants give other roles access. */
export function restrictToOwner(table: string): string[] {
  return [
    `alter table ${table} enable row level security, force row level security`,
    `create policy owner on ${table} to current_user using (true)`,
  ];
}

/**
 * Returns the statements that undo `enableTenantIsolation`, before the table is dropped or used by an older release.
 */
export function disableTenantIsolation(table: string): string[] {
  return [
    `drop policy tenant on ${table}`,
    `drop policy owner on ${table}`,
    `alter table ${table} disable row level security, no force row level security`,
    `revoke all on ${table} from ${DATABASE_ROLES.service}`,
  ];
}
