import { Migration } from '@mikro-orm/migrations';
import { createRecordNames, FIND_AUDIT_ENTRIES, findAllAuditEntries } from './client-export-functions.js';
import { DATABASE_ROLES, enableTenantIsolation, TRANSACTION_CLINIC } from './tenant-table.js';

const { audit, system } = DATABASE_ROLES;
const CLINIC = `(select ${TRANSACTION_CLINIC})`;
/** For each table, the deleted rows as records of a Client. Retention deletes homework before its Session. */
const REMOVED = {
  session: `
    select clinic_id, client_id, 'session/' || id as name from removed
    union select clinic_id, client_id, 'series/' || series_id from removed`,
  homework: `
    select s.clinic_id, s.client_id, 'homework/' || removed.id as name
    from removed join session s on s.clinic_id = removed.clinic_id and s.id = removed.session_id`,
  reminder: `
    select clinic_id, recipient_id as client_id, 'reminder/' || id as name from removed where recipient_kind = 'CLIENT'`,
} as const;

/**
 * The names of removed records with their Client, for as long as the audit trail may name them. Without them, the export
 * of a Client would not find the audit entries that name only a removed record. Triggers write them, so that they are
 * complete for every way in which a row is deleted.
 */
export class Migration20261124230100RemovedRecords extends Migration {
  override up(): void {
    this.createTable();
    for (const [table, records] of Object.entries(REMOVED)) this.keepRemoved(table, records);
    this.addSql(`
      insert into removed_record (clinic_id, client_id, name, removed_at)
      select clinic_id, client_id, name, min(removed_at) from (
        select clinic_id, client_id, 'session/' || session_id as name, removed_at from removed_session
        union all select clinic_id, client_id, 'series/' || series_id, removed_at from removed_session
        union all select clinic_id, client_id, 'homework/' || homework_id, removed_at from removed_homework) as known
      group by clinic_id, client_id, name`);
    this.addSql(
      createRecordNames(`
          union all select name from removed_record where clinic_id = ${CLINIC} and client_id = client`),
    );
    this.createFind();
  }

  private createTable(): void {
    this.addSql(`
      create table removed_record (
        clinic_id bigint not null references clinic,
        client_id bigint not null,
        name text not null,
        removed_at timestamptz(3) not null,
        primary key (clinic_id, client_id, name)
      )`);
    this.addSql(`create index removed_record_age on removed_record (clinic_id, removed_at)`);
    for (const statement of enableTenantIsolation('removed_record', 'select')) this.addSql(statement);
    this.addSql(`create policy audit on removed_record to ${audit} using (true)`);
    this.addSql(`grant select, delete on removed_record to ${audit}`);
    this.addSql(`create policy erasure on removed_record to ${system} using (true)`);
    this.addSql(`grant select, delete on removed_record to ${system}`);
  }

  private keepRemoved(table: string, records: string): void {
    this.addSql(`
      create function keep_removed_${table}_record() returns trigger
        language plpgsql security definer set search_path = public, pg_temp as $$
      begin
        insert into removed_record (clinic_id, client_id, name, removed_at)
        select clinic_id, client_id, name, clock_timestamp() from (${records}) as record on conflict do nothing;
        return null;
      end $$`);
    this.addSql(`
      create trigger keep_removed_record after delete on ${table} referencing old table as removed
        for each statement execute function keep_removed_${table}_record()`);
  }

  /**
   * Finds a page of the entries that name the Client or one of the Client's records, or have the Client as actor, in the order of
   * their time. \`own\` are the names that belong to the Client; an entry can also name other Clients.
   *
   * The condition on the Clinic is written so that no other index can be used than that of the names: PostgreSQL estimates
   * that thousands of names occur in most entries, and would read all of the Clinic's.
   */
  private createFind(): void {
    const range = `e.at between after_at and last_at and (e.at, e.id) > (after_at, after_id)
              and (e.at, e.id) <= (last_at, last_id)`;
    this.addSql(`
      create or replace function ${FIND_AUDIT_ENTRIES} returns table (id bigint, own text[])
        language sql stable security definer set search_path = public, pg_temp set enable_seqscan = off as $$
        with names as materialized (select client_record_names(client) as own),
        named as materialized (select unnest(own) as name from names),
        page as materialized (
          select part.id, part.at, part.records from (
            (select e.id, e.at, e.records from audit_entry e
              where e.clinic_id + 0 = ${CLINIC} and e.records && (select own from names) and ${range}
              order by e.at, e.id limit maximum)
            union all
            (select e.id, e.at, e.records from audit_entry e
              where e.clinic_id = ${CLINIC} and e.actor_role = 'CLIENT' and e.actor_id = client
                and not e.records && (select own from names) and ${range}
              order by e.at, e.id limit maximum)) as part
          order by part.at, part.id limit maximum)
        select page.id, coalesce(array_agg(named.name order by record.position) filter (where named.name is not null), '{}')
          from page left join lateral unnest(page.records) with ordinality as record (name, position) on true
            left join named on named.name = record.name
          group by page.at, page.id order by page.at, page.id $$`);
  }

  override down(): void {
    this.addSql(findAllAuditEntries('create or replace'));
    this.addSql(createRecordNames());
    for (const table of Object.keys(REMOVED)) {
      this.addSql(`drop trigger keep_removed_record on ${table}`);
      this.addSql(`drop function keep_removed_${table}_record`);
    }
    this.addSql(`drop table removed_record`);
  }
}
