/**
 * The roles of the database. Nobody but the first can log in, and that one can do nothing until a transaction says
 * which of the others it acts as; what none of them is given, the service cannot do.
 */
export const DATABASE_ROLES = {
  /** What the service logs in as; inherits nothing. */
  login: 'scheduling_app',
  /** A request: the rows of the caller's Clinic. */
  service: 'scheduling_service',
  /** A request of an administrator: Clinics and the shared catalogue, no data of people. */
  admin: 'scheduling_admin',
  /** The dispatch of reminders: reads of all Clinics what a message needs, writes reminders. */
  reminders: 'scheduling_reminders',
  /** Clearing up: deletes of all Clinics what has expired, and reads none of it. */
  maintenance: 'scheduling_maintenance',
  /** Sealing the audit trail, and verifying it: of all Clinics. */
  audit: 'scheduling_audit',
  /** What the service itself changes: reads and moves Sessions and reminders of all Clinics. */
  system: 'scheduling_system',
  /** Metrics: counts rows of all Clinics and reads their times, no ids and no personal data. */
  monitoring: 'scheduling_monitoring',
} as const;

/** Makes a role where it is not there: roles are the server's, and another database of this service on it has the same. */
export function createRole(role: string): string {
  return `
    do $$ begin
      if not exists (select from pg_roles where rolname = '${role}') then create role ${role} nologin noinherit; end if;
    exception when duplicate_object or unique_violation then null;
    end $$`;
}

/** Lets the service take on roles. */
export function letServiceActAs(...roles: string[]): string {
  return grantRoles(roles, DATABASE_ROLES.login);
}

/** Lets whoever migrates log in as the service, too: one account for both is enough to try things out. */
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

/** The condition that a row is of the caller's Clinic; the sub-select makes it one look-up a statement, not one a row. */
export const OWN_CLINIC = 'clinic_id = (select current_clinic())';

/**
 * Statements that put a table of tenants under row-level security, forced: to be used in the migration that makes
 * the table. Whoever migrates owns it, and sees all rows by a policy that can be listed; a request sees its Clinic's.
 */
export function tenantTable(table: string, rights = 'select, insert, update, delete', ownRows = OWN_CLINIC): string[] {
  return [
    ...closedTable(table),
    `create policy tenant on ${table} to ${DATABASE_ROLES.service} using (${ownRows})`,
    `grant ${rights} on ${table} to ${DATABASE_ROLES.service}`,
  ];
}

/** Statements that close a table to all but whoever migrates it, until policies and rights open it again. */
export function closedTable(table: string): string[] {
  return [
    `alter table ${table} enable row level security, force row level security`,
    `create policy owner on ${table} to current_user using (true)`,
  ];
}

/** Takes it back, before the table itself is dropped or given back to an older release. */
export function openTable(table: string): string[] {
  return [
    `drop policy tenant on ${table}`,
    `drop policy owner on ${table}`,
    `alter table ${table} disable row level security, no force row level security`,
    `revoke all on ${table} from ${DATABASE_ROLES.service}`,
  ];
}
