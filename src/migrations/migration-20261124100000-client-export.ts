import { Migration } from '@mikro-orm/migrations';
import { DATABASE_ROLES, TRANSACTION_CLINIC } from './tenant-table.js';

const { service } = DATABASE_ROLES;
const CLINIC = `(select ${TRANSACTION_CLINIC})`;

/**
 * What the export of a Client needs from the audit trail: an index of the requests of Clients, and a function that finds
 * the entries about one Client.
 */
export class Migration20261124100000ClientExport extends Migration {
  override up(): void {
    this.addSql(`
      create index audit_entry_of_client on audit_entry (clinic_id, actor_id, at, id) where actor_role = 'CLIENT'`);
    this.createRecordNames();
    this.createFind();
    for (const signature of [RECORD_NAMES, FIND]) this.addSql(`revoke all on function ${signature} from public`);
    this.addSql(`grant execute on function ${FIND} to ${service}`);
  }

  /** The names of a Client's records in the Clinic of the transaction, as audit entries have them. */
  private createRecordNames(): void {
    this.addSql(`
      create function client_record_names(client bigint) returns text[]
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
          union all select 'calendar-link/' || id from calendar_link where clinic_id = ${CLINIC} and client_id = client
        ) as names $$`);
  }

  /**
   * Finds a page of the entries that name the Client or one of the Client's records, or have the Client as actor, in the order of
   * their time. \`own\` are the names that belong to the Client; an entry can also name other Clients.
   *
   * The function runs as the owner, because row-level security keeps PostgreSQL from using the index of the names: its
   * operator is not leakproof. It is restricted to the Clinic of the transaction by its conditions.
   */
  private createFind(): void {
    this.addSql(`
      create function client_audit_entries(client bigint, after_at timestamptz, after_id bigint,
          last_at timestamptz, last_id bigint, maximum integer) returns table (id bigint, own text[])
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
          order by p.at, p.id $$`);
  }

  override down(): void {
    this.addSql(`drop function ${FIND}`);
    this.addSql(`drop function ${RECORD_NAMES}`);
    this.addSql(`drop index audit_entry_of_client`);
  }
}

const RECORD_NAMES = 'client_record_names(bigint)';
const FIND = 'client_audit_entries(bigint, timestamptz, bigint, timestamptz, bigint, integer)';
