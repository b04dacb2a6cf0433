import { Migration } from '@mikro-orm/migrations';
import {
  createRole,
  DATABASE_ROLES,
  allowOwnerToActAsService,
  allowServiceToActAs,
  disableTenantIsolation,
  toCallerIsolationStatements,
} from './tenant-table.js';

const { login, service, admin, reminders } = DATABASE_ROLES;

const TENANT_TABLES = [
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
];

/** The tables that reminder dispatch reads across all Clinics. */
const READ_FOR_REMINDERS = ['clinic', 'care_provider', 'client', 'session', 'homework', 'book'];
const WRITTEN_FOR_REMINDERS = ['reminder', 'reminder_preference'];

/** Row-level security for all tenant tables: even a query without a Clinic condition finds no rows of other Clinics. */
export class Migration20261121170000Isolation extends Migration {
  override up(): void {
    this.createRoles();
    this.createCurrentClinic();
    for (const table of TENANT_TABLES) this.all(toCallerIsolationStatements(table));
    this.all(toCallerIsolationStatements('clinic', 'select, update', 'id = (select current_clinic())'));
    // All roles read the shared catalogue; only administrators write it.
    this.all(toCallerIsolationStatements('book'));
    this.addSql(`create policy catalogue on book for select to ${service} using (clinic_id is null)`);
    this.openToAdministrators();
    this.openToReminders();
    // These tables belong to no Clinic, because they are read before the caller's Clinic is known.
    this.addSql(`grant select, delete on revoked_token to ${login}`);
    this.addSql(`grant select, insert, update, delete on rate_limit_count to ${login}`);
    this.addSql(`grant select, insert, update on revoked_token to ${admin}`);
    this.addSql(`grant select on schema_migration to ${login}`);
  }

  private createRoles(): void {
    for (const role of [login, service, admin, reminders]) this.addSql(createRole(role));
    this.addSql(allowServiceToActAs(service, admin, reminders));
    this.addSql(allowOwnerToActAsService());
    this.addSql(`grant usage on schema public to ${login}, ${service}, ${admin}, ${reminders}`);
  }

  /**
   * Creates the function that returns the caller's Clinic. It runs as the owner, because the policies need the Clinic
   * before they allow reading the caller's record. The session variables come from a verified token or the secret of a
   * link.
   */
  private createCurrentClinic(): void {
    this.addSql(`
      create function current_clinic() returns bigint
        language plpgsql stable security definer set search_path = public, pg_temp as $$
      declare
        caller text := current_setting('app.caller_id', true);
      begin
        case current_setting('app.caller_kind', true)
          when 'CLINIC' then return caller::bigint;
          when 'CARE_PROVIDER' then return (select clinic_id from care_provider where id = caller::bigint);
          when 'CLIENT' then return (select clinic_id from client where id = caller::bigint);
          when 'CALENDAR_LINK' then return (select clinic_id from calendar_link where secret_hash = caller);
          when 'OPT_OUT_LINK' then return (select clinic_id from reminder_preference where opt_out_token = caller);
          else return null;
        end case;
      end $$`);
    this.addSql(`revoke all on function current_clinic() from public`);
    this.addSql(`grant execute on function current_clinic() to ${service}`);
  }

  private openToAdministrators(): void {
    this.addSql(`create policy administrator on clinic to ${admin} using (true)`);
    this.addSql(`create policy administrator on book to ${admin} using (clinic_id is null)`);
    this.addSql(`grant select, insert, update on clinic, book to ${admin}`);
  }

  private openToReminders(): void {
    for (const table of [...READ_FOR_REMINDERS, ...WRITTEN_FOR_REMINDERS]) {
      this.addSql(`create policy dispatch on ${table} to ${reminders} using (true)`);
    }
    this.addSql(`grant select on ${READ_FOR_REMINDERS.join(', ')} to ${reminders}`);
    this.addSql(`grant select, update on reminder to ${reminders}`);
    this.addSql(`grant select, insert, update on reminder_preference to ${reminders}`);
  }

  override down(): void {
    for (const table of [...READ_FOR_REMINDERS, ...WRITTEN_FOR_REMINDERS]) {
      this.addSql(`drop policy dispatch on ${table}`);
      this.addSql(`revoke all on ${table} from ${reminders}`);
    }
    for (const table of ['clinic', 'book']) {
      this.addSql(`drop policy administrator on ${table}`);
      this.addSql(`revoke all on ${table} from ${admin}`);
    }
    this.addSql(`drop policy catalogue on book`);
    for (const table of [...TENANT_TABLES, 'clinic', 'book']) this.all(disableTenantIsolation(table));
    this.addSql(`drop function current_clinic()`);
    this.addSql(`revoke all on revoked_token, rate_limit_count from ${login}, ${admin}`);
    // The roles are not dropped: they belong to the server, where another database may use them.
    this.addSql(`revoke select on schema_migration from ${login}`);
    this.addSql(`revoke usage on schema public from ${login}, ${service}, ${admin}, ${reminders}`);
  }

  private all(statements: readonly string[]): void {
    for (const statement of statements) this.addSql(statement);
  }
}
