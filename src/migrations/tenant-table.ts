/**
 * The roles of the database. Only the first can log in. It has no privileges: each transaction sets one of the other
 * roles, whose privileges are all that the service can use.
 */
export const DATABASE_ROLES = {
  /** The login role of the service. Inherits no privileges. */
  login: 'scheduling_app',
  /** Requests: the rows of the caller's Clinic. */
  service: 'scheduling_service',
  /** Requests of administrators: Clinics and the shared catalogue, no personal data. */
  admin: 'scheduling_admin',
  /** The dispatch of reminders, for all Clinics: reads the columns that a message needs, writes reminders. */
  reminders: 'scheduling_reminders',
  /** Maintenance, for all Clinics: deletes expired rows, and cannot read their contents. */
  maintenance: 'scheduling_maintenance',
  /** Sealing and verification of the audit trail, for all Clinics. */
  audit: 'scheduling_audit',
  /** Changes by the service itself, for all Clinics: recomputes Sessions and reminders. */
  system: 'scheduling_system',
  /** Metrics, for all Clinics: counts and ages of rows, without ids and personal data. */
  monitoring: 'scheduling_monitoring',
} as const;

/** Creates a role if it does not exist. Roles belong to the server, where another database of the service may use them. */
export function createRole(role: string): string {
  return `
    do $$ begin
      if not exists (select from pg_roles where rolname = '${role}') then create role ${role} nologin noinherit; end if;
    exception when duplicate_object or unique_violation then null;
    end $$`;
}

/** Allows the login role to set roles. */
export function letServiceActAs(...roles: string[]): string {
  return grantRoles(roles, DATABASE_ROLES.login);
}

/** Makes the migrating account a member of the login role, so that a trial installation needs one account only. */
export function letOwnerServe(): string {
  return grantRoles([DATABASE_ROLES.login], 'current_user');
}

function grantRoles(roles: readonly string[], to: string): string {
  return `
    do $$ begin
      grant ${roles.join(', ')} to ${to};
    exception when unique_violation or internal_error then null; -- another database of the server does so at this moment
    end $$`;
}

/** The condition that a row belongs to the caller's Clinic. The sub-select is evaluated once per statement, not per row. */
export const OWN_CLINIC = 'clinic_id = (select current_clinic())';

/**
 * Returns the statements that enable and force row-level security on a tenant table. Use them in the migration that
 * creates the table. The owner sees all rows by an explicit policy; a request sees the rows of its Clinic.
 */
export function tenantTable(table: string, rights = 'select, insert, update, delete', ownRows = OWN_CLINIC): string[] {
  return [
    ...closedTable(table),
    `create policy tenant on ${table} to ${DATABASE_ROLES.service} using (${ownRows})`,
    `grant ${rights} on ${table} to ${DATABASE_ROLES.service}`,
  ];
}

/** Returns the statements that deny access to a table to all roles but its owner, until policies and grants allow it. */
export function closedTable(table: string): string[] {
  return [
    `alter table ${table} enable row level security, force row level security`,
    `create policy owner on ${table} to current_user using (true)`,
  ];
}

/** Returns the statements that undo it, before the table is dropped or left to an older release. */
export function openTable(table: string): string[] {
  return [
    `drop policy tenant on ${table}`,
    `drop policy owner on ${table}`,
    `alter table ${table} disable row level security, no force row level security`,
    `revoke all on ${table} from ${DATABASE_ROLES.service}`,
  ];
}
