import { Migration } from '@mikro-orm/migrations';

/** The conditions that find a link by the caller's secret. The service decides whether the link still works. */
const BY_ANY_SECRET = 'secret_hash = caller or previous_secret_hash = caller';
const BY_SECRET = 'secret_hash = caller';

/**
 * Calendar links expire, and their secrets can be replaced. Links from before go on working for a year, like new ones. An
 * instance of the release before creates links with the default expiry, ignores it, and knows the current secret only.
 */
export class Migration20261124120100CalendarLinkExpiry extends Migration {
  override up(): void {
    this.addSql(`
      alter table calendar_link
        add column expires_at timestamptz(3) not null default now() + interval '366 days',
        add column previous_secret_hash text unique,
        add column previous_secret_until timestamptz(3),
        add constraint calendar_link_previous_secret_check
          check ((previous_secret_hash is null) = (previous_secret_until is null))`);
    this.replaceFunctions(BY_ANY_SECRET);
  }

  override down(): void {
    this.replaceFunctions(BY_SECRET);
    this.addSql(`
      alter table calendar_link
        drop column previous_secret_hash,
        drop column previous_secret_until,
        drop column expires_at`);
  }

  /** Replaces the functions that find the Clinic and the records of a link by its secret. */
  private replaceFunctions(condition: string): void {
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
          when 'CALENDAR_LINK' then return (select clinic_id from calendar_link where ${condition});
          when 'OPT_OUT_LINK' then return (select clinic_id from reminder_preference where opt_out_token = caller);
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
              from calendar_link where ${condition});
          when 'OPT_OUT_LINK' then return (
            select array[lower(replace(owner_kind, '_', '-')) || '/' || owner_id]
              from reminder_preference where opt_out_token = caller);
          else return null;
        end case;
      end $$`);
  }
}
