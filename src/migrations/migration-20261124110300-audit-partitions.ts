import { Migration } from '@mikro-orm/migrations';
import { ADD_AUDIT_PARTITION, ENSURE_AUDIT_PARTITIONS } from './audit-functions.js';
import { copyTableProperties } from './replace-table.js';
import { DATABASE_ROLES } from './tenant-table.js';

const { audit, monitoring } = DATABASE_ROLES;

/** How many months ahead partitions exist. The retention job adds the next ones each night. */
const MONTHS_AHEAD = 3;
/** Prefixes of the indexes of the table that is replaced. */
const [EARLIER, PARTITIONED] = ['earlier_', 'partitioned_'];
/** Built before the migrations run, so that this one is fast. The new table does not need it. */
const ONLINE_INDEX = 'audit_entry_id_at';
const ENSURE = 'ensure_audit_partitions(timestamptz, timestamptz)';

/**
 * The entries of the audit trail are partitioned by month. The rows of earlier releases are not copied: their table becomes
 * one partition. Entries outside of all months go into the default
 * partition.
 */
export class Migration20261124110300AuditPartitions extends Migration {
  override up(): void {
    this.createTable('(id, at)', EARLIER, 'partition by range (at)');
    this.addSql(copyTableProperties('audit_entry', 'audit_entry_new', EARLIER));
    this.addSql(`drop index if exists ${ONLINE_INDEX}`);
    this.replaceTable('audit_entry_earlier');
    this.createPartitionList();
    this.createAdd();
    this.addSql(ENSURE_AUDIT_PARTITIONS);
    this.addSql(`create table audit_entry_default partition of audit_entry default`);
    this.addSql(`select protect_audit_partition('audit_entry_default')`);
    this.addSql(`create policy monitoring on audit_entry_default for select to ${monitoring} using (true)`);
    this.addSql(`grant select (at) on audit_entry_default to ${monitoring}`);
    this.attachEarlierEntries();
    this.addSql(`select ensure_audit_partitions(now(), now() + interval '${MONTHS_AHEAD} months')`);
    this.addSql(`revoke all on function ${ENSURE} from public`);
    this.addSql(`grant execute on function ${ENSURE} to ${audit}`);
  }

  private createTable(key: string, prefix: string, partitioning = ''): void {
    this.addSql(`lock table audit_entry in access exclusive mode`);
    this.addSql(`alter index audit_entry_pkey rename to ${prefix}audit_entry_pkey`);
    this.addSql(`
      create table audit_entry_new (
        like audit_entry including defaults including constraints, constraint audit_entry_pkey primary key ${key}
      ) ${partitioning}`);
    this.addSql(`alter table audit_entry_new enable row level security, force row level security`);
  }

  /** Gives the old table another name. IDs continue. */
  private replaceTable(oldName: string): void {
    this.addSql(`
      do $$ declare next bigint := nextval(pg_get_serial_sequence('audit_entry', 'id')); begin
        alter table audit_entry rename to ${oldName};
        alter table ${oldName} alter column id drop identity;
        alter table audit_entry_new rename to audit_entry;
        execute format('alter table audit_entry alter column id add generated always as identity (start %s)', next);
      end $$`);
  }

  /** The bounds of all partitions but the default one. */
  private createPartitionList(): void {
    this.addSql(`
      create function audit_partitions() returns table (name text, lower timestamptz, upper timestamptz)
        language sql stable set search_path = public, pg_temp set timezone = 'UTC' set datestyle = 'ISO' as $$
        select relname::text, replace(trim(bound[1], ''''), 'MINVALUE', '-infinity')::timestamptz,
          trim(bound[2], '''')::timestamptz
        from pg_inherits join pg_class on pg_class.oid = inhrelid
          cross join lateral regexp_match(pg_get_expr(relpartbound, pg_class.oid), 'FROM \\((.+)\\) TO \\((.+)\\)') as bound
        where inhparent = 'audit_entry'::regclass and bound is not null
      $$`);
  }

  /**
   * Row-level security and append-only triggers apply to statements that name the partition; the ones of `audit_entry`
   * apply to all others.
   */
  private createAdd(): void {
    this.addSql(`
      create function protect_audit_partition(name text) returns void language plpgsql set search_path = public, pg_temp as $$
      begin
        execute format('alter table %I enable row level security, force row level security', name);
        execute format('create policy owner on %I to %I using (true)', name, current_user);
        execute format('create trigger append_only before update or delete or truncate on %I
          for each statement execute function audit_refuse()', name);
      end $$`);
    this.addSql(ADD_AUDIT_PARTITION);
    for (const name of ['protect_audit_partition(text)', 'add_audit_partition(text, timestamptz, timestamptz)'])
      this.addSql(`revoke all on function ${name} from public`);
  }

  /** The table of earlier releases becomes the partition up to the month after its last entry, or is dropped if empty. */
  private attachEarlierEntries(): void {
    this.addSql(`
      do $$ declare
        -- By the index for each Clinic, without reading all rows.
        newest timestamptz := (select max(at) from (
          select (select at from audit_entry_earlier where clinic_id = clinic.id order by at desc limit 1) from clinic
          union all (select at from audit_entry_earlier where clinic_id is null order by at desc limit 1)) as last (at));
        item record;
      begin
        if not exists (select from audit_entry_earlier) then drop table audit_entry_earlier; return; end if;
        drop trigger audit_entry_unsealed on audit_entry_earlier;
        drop trigger audit_entry_append_only on audit_entry_earlier;
        for item in select policyname from pg_policies where tablename = 'audit_entry_earlier' loop
          execute format('drop policy %I on audit_entry_earlier', item.policyname);
        end loop;
        for item in
          select grantee::regrole as role from pg_class, aclexplode(relacl)
          where pg_class.oid = 'audit_entry_earlier'::regclass and grantee <> relowner
          union select grantee::regrole from pg_attribute, aclexplode(attacl) where attrelid = 'audit_entry_earlier'::regclass
        loop
          execute format('revoke all on audit_entry_earlier from %s', item.role);
        end loop;
        alter table audit_entry_earlier drop constraint ${EARLIER}audit_entry_pkey;
        if to_regclass('${EARLIER}${ONLINE_INDEX}') is null then
          alter table audit_entry_earlier add primary key (id, at);
        else
          alter table audit_entry_earlier add primary key using index ${EARLIER}${ONLINE_INDEX};
        end if;
        execute format('alter table audit_entry attach partition audit_entry_earlier for values from (minvalue) to (%L)',
          (date_trunc('month', greatest(newest, now()) at time zone 'UTC') + interval '1 month') at time zone 'UTC');
        perform protect_audit_partition('audit_entry_earlier');
      end $$`);
  }

  override down(): void {
    this.createTable('(id)', PARTITIONED);
    this.addSql(`insert into audit_entry_new select * from audit_entry`);
    this.addSql(copyTableProperties('audit_entry', 'audit_entry_new', PARTITIONED));
    this.replaceTable('audit_entry_partitioned');
    this.addSql(`drop table audit_entry_partitioned`);
    for (const name of [
      'add_audit_partition',
      'protect_audit_partition',
      'ensure_audit_partitions',
      'audit_partitions',
    ])
      this.addSql(`drop function ${name}`);
  }
}
