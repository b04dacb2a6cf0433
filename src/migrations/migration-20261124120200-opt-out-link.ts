import { Migration } from '@mikro-orm/migrations';
import { DATABASE_ROLES, disableTenantIsolation, enableTenantIsolation } from './tenant-table.js';

const { reminders, maintenance } = DATABASE_ROLES;

const TOKEN_HASH = (row: string) => `encode(sha256(convert_to(${row}.opt_out_token, 'UTF8')), 'hex')`;
const LEGACY_LIFETIME = `interval '90 days'`;
/** A token that the service has replaced, because only its hash is needed (`src/reminder/dispatch/opt-out-link-maintenance.ts`). */
const CLEARED = `like 'hashed:%'`;

/**
 * The secrets of opt-out links are stored as hashes, and expire. All links that have been sent go on working for 90 days.
 *
 * Instances of the release before send the token of a recipient's preference in clear text, and look it up there. During a
 * rolling upgrade the tokens therefore stay; a trigger adds the hash of each new one, so that their links work on all
 * instances. Links that new instances send work on new instances only. When no instance of another release runs, the
 * service replaces the tokens. A later release drops the column.
 */
export class Migration20261124120200OptOutLink extends Migration {
  override up(): void {
    this.addSql(`
      create table opt_out_link (
        secret_hash text primary key,
        clinic_id bigint not null references clinic,
        owner_kind text not null check (owner_kind in ('CLIENT', 'CARE_PROVIDER')),
        owner_id bigint not null,
        expires_at timestamptz(3) not null
      )`);
    this.addSql(`create index opt_out_link_expires on opt_out_link (expires_at)`);
    for (const statement of enableTenantIsolation('opt_out_link', 'select')) this.addSql(statement);
    this.addSql(`create policy dispatch on opt_out_link to ${reminders} using (true)`);
    this.addSql(`grant insert on opt_out_link to ${reminders}`);
    this.addSql(`create policy expired on opt_out_link to ${maintenance} using (expires_at <= now())`);
    this.addSql(`grant select (secret_hash, expires_at), delete on opt_out_link to ${maintenance}`);
    this.addSql(`
      insert into opt_out_link (secret_hash, clinic_id, owner_kind, owner_id, expires_at)
      select ${TOKEN_HASH('p')}, clinic_id, owner_kind, owner_id, now() + ${LEGACY_LIFETIME}
      from reminder_preference p where owner_kind <> 'CLINIC'`);
    this.createTrigger();
    this.replaceFunctions(
      `coalesce((select clinic_id from opt_out_link where secret_hash = caller),
            (select clinic_id from reminder_preference where opt_out_token = caller))`,
      `coalesce((
            select array[lower(replace(owner_kind, '_', '-')) || '/' || owner_id]
              from opt_out_link where secret_hash = caller), (
            select array[lower(replace(owner_kind, '_', '-')) || '/' || owner_id]
              from reminder_preference where opt_out_token = caller))`,
    );
  }

  override down(): void {
    this.replaceFunctions(
      '(select clinic_id from reminder_preference where opt_out_token = caller)',
      `(
            select array[lower(replace(owner_kind, '_', '-')) || '/' || owner_id]
              from reminder_preference where opt_out_token = caller)`,
    );
    this.addSql(`drop trigger reminder_preference_opt_out_link on reminder_preference`);
    this.addSql(`drop function add_opt_out_link()`);
    // The release before needs a token for each recipient. Links that were sent before stop working.
    this.addSql(`
      update reminder_preference set opt_out_token = replace(gen_random_uuid()::text, '-', '')
      where opt_out_token ${CLEARED}`);
    this.addSql(`drop policy dispatch on opt_out_link`);
    this.addSql(`drop policy expired on opt_out_link`);
    for (const statement of disableTenantIsolation('opt_out_link')) this.addSql(statement);
    this.addSql(`drop table opt_out_link`);
  }

  private createTrigger(): void {
    this.addSql(`
      create function add_opt_out_link() returns trigger
        language plpgsql security definer set search_path = public, pg_temp as $$
      begin
        insert into opt_out_link (secret_hash, clinic_id, owner_kind, owner_id, expires_at)
        values (${TOKEN_HASH('new')}, new.clinic_id, new.owner_kind, new.owner_id, now() + ${LEGACY_LIFETIME})
        on conflict do nothing;
        return null;
      end $$`);
    this.addSql(`
      create trigger reminder_preference_opt_out_link after insert on reminder_preference for each row
        when (new.owner_kind <> 'CLINIC' and new.opt_out_token not ${CLEARED}) execute function add_opt_out_link()`);
  }

  /** Replaces the functions that find the Clinic and the records of a link by its secret, or the hash of its secret. */
  private replaceFunctions(clinic: string, records: string): void {
    this.addSql(`
      create or replace function current_clinic() returns bigint
        language plpgsql stable security definer set search_path = public, pg_temp as $$
      declare
        caller text := current_setting('app.caller_id', true);
      begin
        case current_setting('app.caller_kind', true)
          when 'CLINIC' then return caller::bigint;
          when 'CARE_PROVIDER' then return (select clinic_id from care_provider where id = caller::bigint);
          when 'CLIENT' then return (select clinic_id from client where id = caller::bigint);
          when 'CALENDAR_LINK' then return (select clinic_id from calendar_link where secret_hash = caller or previous_secret_hash = caller);
          when 'OPT_OUT_LINK' then return ${clinic};
          else return null;
        end case;
      end $$`);
    this.addSql(`
      create or replace function link_records() returns text[]
        language plpgsql stable security definer set search_path = public, pg_temp as $$
      declare
        caller text := current_setting('app.caller_id', true);
      begin
        case current_setting('app.caller_kind', true)
          when 'CALENDAR_LINK' then return (
            select array['calendar-link/' || id, coalesce('client/' || client_id, 'care-provider/' || caregiver_id)]
              from calendar_link where secret_hash = caller or previous_secret_hash = caller);
          when 'OPT_OUT_LINK' then return ${records};
          else return null;
        end case;
      end $$`);
  }
}
