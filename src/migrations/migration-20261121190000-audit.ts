import { Migration } from '@mikro-orm/migrations';
import {
  restrictToOwner,
  createRole,
  DATABASE_ROLES,
  allowServiceToActAs,
  toCallerIsolationStatements,
} from './tenant-table.js';

const { service, admin, audit } = DATABASE_ROLES;

/** The columns that a request writes. The database sets the ID and the Clinic. */
const WRITTEN =
  'at, actor_role, actor_id, actor_subject, access, operation, records, record_count, request_id, address, outcome';

/** The audit trail: entries that cannot be changed, sealed in blocks that form a hash chain. */
export class Migration20261121190000Audit extends Migration {
  override up(): void {
    this.createRole();
    this.createLinkRecords();
    this.createTables();
    this.forbidChanges();
    this.openToRequests();
    this.openToAudit();
  }

  private createRole(): void {
    this.addSql(createRole(audit));
    this.addSql(allowServiceToActAs(audit));
    this.addSql(`grant usage on schema public to ${audit}`);
  }

  /**
   * Creates the function that names the records of the caller's link, because requests with a link have no token. The
   * function runs as the owner, like current_clinic().
   */
  private createLinkRecords(): void {
    this.addSql(`
      create function link_records() returns text[]
        language plpgsql stable security definer set search_path = public, pg_temp as $$
      declare
        caller text := current_setting('app.caller_id', true);
      begin
        case current_setting('app.caller_kind', true)
          when 'CALENDAR_LINK' then return (
            select array['calendar-link/' || id, coalesce('client/' || client_id, 'care-provider/' || caregiver_id)]
              from calendar_link where secret_hash = caller);
          when 'OPT_OUT_LINK' then return (
            select array[lower(replace(owner_kind, '_', '-')) || '/' || owner_id]
              from reminder_preference where opt_out_token = caller);
          else return null;
        end case;
      end $$`);
    this.addSql(`revoke all on function link_records() from public`);
    this.addSql(`grant execute on function link_records() to ${service}, ${admin}`);
    this.addSql(`grant execute on function current_clinic() to ${admin}`);
  }

  private createTables(): void {
    this.addSql(`
      create table audit_entry (
        id bigint generated always as identity primary key,
        clinic_id bigint default current_clinic(),
        at timestamptz(3) not null,
        actor_role text not null,
        actor_id bigint,
        actor_subject text,
        access text not null check (access in ('READ', 'WRITE')),
        operation text not null,
        records text[] not null,
        record_count integer not null,
        request_id uuid not null,
        address text not null,
        outcome text not null
      )`);
    this.addSql(`create index audit_entry_clinic_id_at_id_index on audit_entry (clinic_id, at, id)`);
    this.addSql(`create index audit_entry_records_index on audit_entry using gin (records)`);
    this.addSql(`
      create table audit_seal (
        chain bigint not null,
        number integer not null,
        previous_hash text not null,
        entry_ids bigint[] not null,
        entry_hashes text[] not null,
        sealed_at timestamptz(3) not null,
        hash text not null,
        primary key (chain, number)
      )`);
    this.addSql(`create table audit_unsealed (entry_id bigint primary key)`);
    this.addSql(`
      create function audit_unsealed_add() returns trigger
        language plpgsql security definer set search_path = public, pg_temp as $$
      begin
        insert into audit_unsealed (entry_id) values (new.id);
        return null;
      end $$`);
    this.addSql(`create trigger audit_entry_unsealed after insert on audit_entry
      for each row execute function audit_unsealed_add()`);
  }

  /** The triggers apply to the owner too: only a superuser, or an owner who drops them, can change an entry. */
  private forbidChanges(): void {
    this.addSql(`
      create function audit_refuse() returns trigger language plpgsql as $$
      begin
        raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
      end $$`);
    for (const table of ['audit_entry', 'audit_seal']) {
      this.addSql(`create trigger ${table}_append_only before update or delete or truncate on ${table}
        for each statement execute function audit_refuse()`);
    }
  }

  /** Clinics can read their own entries, administrators those without a Clinic. Both can insert entries. */
  private openToRequests(): void {
    for (const statement of toCallerIsolationStatements('audit_entry', 'select')) this.addSql(statement);
    this.addSql(`create policy nobody on audit_entry for insert to ${service}
      with check (clinic_id is null and current_clinic() is null)`);
    this.addSql(`create policy administrator on audit_entry to ${admin} using (clinic_id is null)`);
    this.addSql(`grant select on audit_entry to ${admin}`);
    this.addSql(`grant insert (${WRITTEN}) on audit_entry to ${service}, ${admin}`);
  }

  private openToAudit(): void {
    this.addSql(`create policy audit on audit_entry for select to ${audit} using (true)`);
    this.addSql(`grant select on audit_entry to ${audit}`);
    for (const table of ['audit_seal', 'audit_unsealed']) {
      for (const statement of restrictToOwner(table)) this.addSql(statement);
      this.addSql(`create policy audit on ${table} to ${audit} using (true)`);
    }
    this.addSql(`grant select, insert on audit_seal to ${audit}`);
    this.addSql(`grant select, delete on audit_unsealed to ${audit}`);
  }

  override down(): void {
    this.addSql(`drop table audit_unsealed, audit_seal, audit_entry`);
    this.addSql(`drop function audit_refuse(), audit_unsealed_add(), link_records()`);
    this.addSql(`revoke execute on function current_clinic() from ${admin}`);
    // Like the other roles, this role is not dropped, because another database on the server may use it.
    this.addSql(`revoke usage on schema public from ${audit}`);
  }
}
