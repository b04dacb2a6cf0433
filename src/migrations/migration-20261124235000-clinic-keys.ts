import { Migration } from '@mikro-orm/migrations';
import { createPreparedIndexes } from './prepared-index.js';
import { DATABASE_ROLES, TRANSACTION_CLINIC } from './tenant-table.js';

const { maintenance } = DATABASE_ROLES;

/** Tables whose unique constraint on `(clinic_id, id)` becomes their only key, because foreign keys depend on it. */
const REFERENCED = ['care_provider', 'client', 'design_plan', 'session_series', 'session', 'homework'];

/** Indexes for lookups by the ID alone: the Clinic of a person, and jobs that serve all Clinics. */
const PEOPLE = ['care_provider', 'client'];
const BY_ID = [...PEOPLE, 'session', 'reminder'];

/** Tables with a new primary key: the key with the Clinic, and the key without it. */
const REPLACED = [
  ['client_assignment', 'clinic_id, client_id, care_provider_id', 'client_id, care_provider_id'],
  ['design_plan_revision', 'clinic_id, design_plan_id, revision', 'design_plan_id, revision'],
  ['hidden_session', 'clinic_id, care_provider_id, session_id', 'care_provider_id, session_id'],
  ['removed_homework', 'clinic_id, homework_id', 'homework_id'],
  ['calendar_link', 'clinic_id, id', 'id'],
  ['reminder_preference', 'clinic_id, owner_kind, owner_id', 'owner_kind, owner_id'],
  ['opt_out_link', 'clinic_id, secret_hash', 'secret_hash'],
] as const;

/** Tables from which the maintenance role deletes expired rows by their key. */
const EXPIRING = 'hidden_session, removed_homework, opt_out_link';

const [HIDDEN_KEY, OLD_HIDDEN_KEY] = ['clinic_id, care_provider_id, session_id', 'care_provider_id, session_id'];

/** Columns with secrets, by which links are found before their Clinic is known. */
const SECRETS = [
  ['calendar_link', 'secret_hash'],
  ['calendar_link', 'previous_secret_hash'],
  ['reminder_preference', 'opt_out_token'],
] as const;

/**
 * The keys of all tables with rows of a Clinic contain the Clinic, as a database that is distributed by Clinic requires
 * (docs/adr/0018-distributed-database.md). IDs still come from one sequence for each table.
 *
 * The large indexes are built before the migrations run (`ONLINE_PREPARATIONS`). The tables are locked until the transaction
 * ends, but none of the statements reads the rows of Sessions, homework or reminders.
 */
export class Migration20261124235000ClinicKeys extends Migration {
  override up(): void {
    for (const table of REFERENCED) {
      this.addSql(`
        alter table ${table} drop constraint ${table}_pkey, replica identity using index ${table}_clinic_id_id_key`);
    }
    for (const statement of createPreparedIndexes('migration-20261124235000-clinic-keys')) this.addSql(statement);
    this.addSql(`
      alter table reminder drop constraint reminder_pkey,
        add constraint reminder_pkey primary key using index reminder_key`);
    for (const table of PEOPLE) this.addSql(`create index ${table}_by_id on ${table} (id)`);
    for (const [table, key] of REPLACED) this.replacePrimaryKey(table, key);
    // The primary key has the same columns now.
    this.addSql(`drop index design_plan_revision_plan`);
    for (const [table, column] of SECRETS) {
      this.addSql(`alter table ${table} drop constraint ${table}_${column}_key`);
      this.addSql(`create index ${table}_${column} on ${table} (${column})`);
    }
    // The release before names these columns when it assigns a Client.
    this.addSql(`create unique index client_assignment_pair on client_assignment (client_id, care_provider_id)`);
    this.addSql(`create index opt_out_link_secret_hash on opt_out_link (secret_hash)`);
    this.addSql(`grant select (clinic_id) on ${EXPIRING} to ${maintenance}`);
    this.replaceInHideFunctions(OLD_HIDDEN_KEY, HIDDEN_KEY);
    this.replaceLinkRecords(
      `
        clinic bigint := ${TRANSACTION_CLINIC};`,
      'clinic_id = clinic and ',
    );
  }

  override down(): void {
    this.replaceLinkRecords('', '');
    this.replaceInHideFunctions(HIDDEN_KEY, OLD_HIDDEN_KEY);
    this.addSql(`revoke select (clinic_id) on ${EXPIRING} from ${maintenance}`);
    this.addSql(`drop index opt_out_link_secret_hash`);
    this.addSql(`drop index client_assignment_pair`);
    for (const [table, column] of SECRETS) {
      this.addSql(`drop index ${table}_${column}`);
      this.addSql(`alter table ${table} add unique (${column})`);
    }
    this.addSql(`create index design_plan_revision_plan on design_plan_revision (clinic_id, design_plan_id, revision)`);
    for (const [table, , key] of REPLACED) this.replacePrimaryKey(table, key);
    for (const table of BY_ID) this.addSql(`drop index ${table}_by_id`);
    this.replacePrimaryKey('reminder', 'id');
    for (const table of REFERENCED) this.addSql(`alter table ${table} replica identity default, add primary key (id)`);
  }

  private replacePrimaryKey(table: string, key: string): void {
    this.addSql(`alter table ${table} drop constraint ${table}_pkey, add primary key (${key})`);
  }

  /** The trigger functions that write to `hidden_session` name its key. */
  private replaceInHideFunctions(from: string, to: string): void {
    for (const name of ['hide_handed_over_session()', 'hide_sessions_of_former_client()']) {
      this.addSql(`
        do $do$ begin
          execute replace(pg_get_functiondef('${name}'::regprocedure), 'on conflict (${from})', 'on conflict (${to})');
        end $do$`);
    }
  }

  /** Replaces the function of the migration "opt-out-link", which names the records of the caller's link. */
  private replaceLinkRecords(variable: string, inClinic: string): void {
    const secret = 'secret_hash = caller or previous_secret_hash = caller';
    this.addSql(`
      create or replace function link_records() returns text[]
        language plpgsql stable security definer set search_path = public, pg_temp as $$
      declare
        caller text := current_setting('app.caller_id', true);${variable}
      begin
        case current_setting('app.caller_kind', true)
          when 'CALENDAR_LINK' then return (
            select array['calendar-link/' || id, coalesce('client/' || client_id, 'care-provider/' || caregiver_id)]
              from calendar_link where ${inClinic === '' ? secret : `${inClinic}(${secret})`});
          when 'OPT_OUT_LINK' then return coalesce((
            select array[lower(replace(owner_kind, '_', '-')) || '/' || owner_id]
              from opt_out_link where ${inClinic}secret_hash = caller), (
            select array[lower(replace(owner_kind, '_', '-')) || '/' || owner_id]
              from reminder_preference where ${inClinic}opt_out_token = caller));
          else return null;
        end case;
      end $$`);
  }
}
