import { TRANSACTION_CLINIC } from './tenant-table.js';

const CLINIC = `(select ${TRANSACTION_CLINIC})`;

/** The signature of the function that finds the audit entries about a Client. */
export const FIND_AUDIT_ENTRIES = `client_audit_entries(client bigint, after_at timestamptz, after_id bigint,
          last_at timestamptz, last_id bigint, maximum integer)`;

/**
 * Returns the statement that creates the function for the names of a Client's records in the Clinic of the transaction, as
 * audit entries have them.
 *
 * @param more a query for further names, which begins with `union all`
 */
export function createRecordNames(more = ''): string {
  return `
      create or replace function client_record_names(client bigint) returns text[]
        language sql stable security definer set search_path = public, pg_temp as $$
        with own_session as materialized (
          select id, series_id from session where clinic_id = ${CLINIC} and client_id = client)
        select array_agg(name) from (
          select 'client/' || client as name
          union all select 'session/' || id from own_session
          union all select distinct 'series/' || series_id from own_session
          union all select 'homework/' || h.id from own_session s
            join homework h on h.clinic_id = ${CLINIC} and h.session_id = s.id
          union all select 'reminder/' || r.id from own_session s
            join reminder r on r.clinic_id = ${CLINIC} and r.session_id = s.id
            where r.recipient_kind = 'CLIENT' and r.recipient_id = client
          union all select 'calendar-link/' || id from calendar_link where clinic_id = ${CLINIC} and client_id = client${more}
        ) as names $$`;
}

/**
 * Returns the statement that creates the function that finds the entries about one Client, as of the migration "client-export".
 * It reads all entries of the Client for each page.
 *
 * The function runs as the owner, because row-level security keeps PostgreSQL from using the index of the names: its
 * operator is not leakproof. It is restricted to the Clinic of the transaction by its conditions.
 */
export function findAllAuditEntries(create = 'create'): string {
  return `
      ${create} function ${FIND_AUDIT_ENTRIES} returns table (id bigint, own text[])
        language sql stable security definer set search_path = public, pg_temp as $$
        with names as materialized (select client_record_names(client) as own),
        found as materialized (
          select e.id, e.at from audit_entry e
            where e.clinic_id = ${CLINIC} and e.records && (select own from names)
          union
          select e.id, e.at from audit_entry e
            where e.clinic_id = ${CLINIC} and e.actor_role = 'CLIENT' and e.actor_id = client),
        page as (
          select f.id, f.at from found f
            where (f.at, f.id) > (after_at, after_id) and (f.at, f.id) <= (last_at, last_id)
            order by f.at, f.id limit maximum)
        select p.id, array(select name from unnest(e.records) as name where name = any (names.own))
          from page p join audit_entry e on e.id = p.id and e.at = p.at cross join names
          order by p.at, p.id $$`;
}
