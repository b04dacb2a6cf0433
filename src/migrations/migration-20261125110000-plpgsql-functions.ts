import { Migration } from '@mikro-orm/migrations';
import { createRecordNames } from './client-export-functions.js';
import { TRANSACTION_CLINIC } from './tenant-table.js';

const CLINIC = `(select ${TRANSACTION_CLINIC})`;
const HEADER = 'stable security definer set search_path = public, pg_temp';

/** The rows that `count_clinic_rows` counts, by the names that the service uses. */
const COUNTED = {
  ...{ reminders: 'reminder', homework: 'homework', sessions: 'session', series: 'session_series' },
  ...{ assignments: 'client_assignment', preferences: 'reminder_preference', calendarLinks: 'calendar_link' },
  ...{ optOutLinks: 'opt_out_link', designPlans: 'design_plan', books: 'book' },
  ...{ clients: 'client', careProviders: 'care_provider' },
};

/** The tables of `directory_record_exists`, by the roles of their people. */
const PEOPLE = { CLINIC: 'clinic', CARE_PROVIDER: 'care_provider', CLIENT: 'client' };

/**
 * Functions of the language SQL become functions of PL/pgSQL: a distributed database cannot plan a statement with the
 * parameters of an SQL function, and needs the Clinic as a value.
 */
export class Migration20261125110000PlpgsqlFunctions extends Migration {
  override up(): void {
    this.addSql(`
      create or replace function client_record_names(client bigint) returns text[] language plpgsql ${HEADER} as $$
      declare
        clinic bigint := ${CLINIC};
      begin
        return (
          with own_session as materialized (
            select id, series_id from session where clinic_id = clinic and client_id = client)
          select array_agg(name) from (
            select 'client/' || client as name
            union all select 'session/' || id from own_session
            union all select distinct 'series/' || series_id from own_session
            union all select 'homework/' || h.id from own_session s
              join homework h on h.clinic_id = clinic and h.session_id = s.id
            union all select 'reminder/' || r.id from own_session s
              join reminder r on r.clinic_id = clinic and r.session_id = s.id
              where r.recipient_kind = 'CLIENT' and r.recipient_id = client
            union all select 'calendar-link/' || id from calendar_link where clinic_id = clinic and client_id = client
            union all select removed_record.name from removed_record where clinic_id = clinic and client_id = client
          ) as names);
      end $$`);
    this.addSql(`
      create or replace function count_clinic_rows(of_clinic bigint, maximum integer)
        returns table (name text, count integer) language plpgsql ${HEADER} as $$
      begin
        return query ${toCounts(1)};
      end $$`);
    this.addSql(`
      create or replace function directory_record_exists(role text, id bigint) returns boolean
        language plpgsql ${HEADER} as $$
      begin
        case directory_record_exists.role${Object.entries(PEOPLE)
          .map(
            ([role, table]) => `
          when '${role}' then
            return exists (select 1 from ${table} r where r.id = directory_record_exists.id);`,
          )
          .join('')}
          else return false;
        end case;
      end $$`);
  }

  override down(): void {
    this.addSql(`
      create or replace function directory_record_exists(role text, id bigint) returns boolean
        language sql ${HEADER} as $$
        select case directory_record_exists.role
          when 'CLINIC' then exists (select from clinic c where c.id = directory_record_exists.id)
          when 'CARE_PROVIDER' then exists (select from care_provider p where p.id = directory_record_exists.id)
          when 'CLIENT' then exists (select from client k where k.id = directory_record_exists.id)
          else false
        end $$`);
    this.addSql(`
      create or replace function count_clinic_rows(of_clinic bigint, maximum integer) returns table (name text, count integer)
        language sql ${HEADER} as $$
        ${toCounts('')} $$`);
    this.addSql(
      createRecordNames(`
          union all select name from removed_record where clinic_id = ${CLINIC} and client_id = client`),
    );
  }
}

/** @param column what the counted rows contain */
function toCounts(column: 1 | ''): string {
  return Object.entries(COUNTED)
    .map(
      ([name, table]) => `
        select '${name}'::text, count(*)::int from (select ${column}${column && ' '}from ${table} t where t.clinic_id = of_clinic limit maximum) found`,
    )
    .join(' union all ');
}
