import { Migration } from '@mikro-orm/migrations';
import { AUDIT_FUNCTION, RETIRE_LOCK, STRADDLING } from './audit-functions.js';
import { DATABASE_ROLES, restrictToOwner, TRANSACTION_CLINIC } from './tenant-table.js';

const { service, audit } = DATABASE_ROLES;

const SEAL_COLUMNS = 'chain, number, entry_count, first_at, last_at';
const FUNCTIONS = [
  'audit_retirable(bigint, timestamptz, timestamptz)',
  'retire_audit_entries(bigint, timestamptz, timestamptz, timestamptz, text, integer)',
  'prune_audit_seals(integer)',
];

/**
 * Sealed entries of the audit trail can be retired: deleted from the start of a chain up to a seal. A row of
 * `audit_retirement` and an entry of the chain itself record the last retired seal and its hash.
 */
export class Migration20261124110200AuditRetirement extends Migration {
  override up(): void {
    this.createRetirement();
    this.addSql(`create trigger audit_retirement_append_only before update or delete or truncate on audit_retirement
      for each statement execute function audit_refuse()`);
    this.createRetirable();
    this.createRecord();
    this.createRetire();
    this.createPrune();
    for (const name of FUNCTIONS) this.addSql(`revoke all on function ${name} from public`);
    this.addSql(`grant execute on function ${FUNCTIONS.join(', ')} to ${audit}`);
    this.addSql(`grant execute on function ${FUNCTIONS[0]} to ${service}`);
  }

  private createRetirement(): void {
    this.addSql(`
      create table audit_retirement (
        chain bigint primary key,
        number integer not null,
        hash text not null,
        entries bigint not null,
        retired_at timestamptz(3) not null,
        entry_id bigint not null
      )`);
    for (const table of ['audit_retirement', 'audit_seal']) {
      this.addSql(`create policy tenant on ${table} for select to ${service} using (chain = ${TRANSACTION_CLINIC})`);
    }
    for (const statement of restrictToOwner('audit_retirement')) this.addSql(statement);
    this.addSql(`create policy audit on audit_retirement for select to ${audit} using (true)`);
    this.addSql(`grant select on audit_retirement to ${audit}`);
    this.addSql(`grant select (chain, number) on audit_retirement to ${service}`);
    this.addSql(`grant select (${SEAL_COLUMNS}) on audit_seal to ${service}`);
  }

  /**
   * The last seal of a chain that can be retired with all seals before it: all of their entries are older than the limit,
   * and all sealed entries from before the month are among them, unless a late one is not older than the limit.
   */
  private createRetirable(): void {
    this.addSql(`
      create function audit_retirable(of_chain bigint, month timestamptz, before timestamptz) returns integer
        language sql stable as $$
        with retired as (
          select coalesce((select number from audit_retirement where chain = of_chain), 0) as number
        )
        select greatest(
          (select number from audit_seal where chain = of_chain and last_at < least(month, before)
            order by last_at desc, number desc limit 1),
          (select max(number) from audit_seal where chain = of_chain and first_at < month and last_at >= month
            and last_at < before and ${STRADDLING}),
          number) from retired
      $$`);
  }

  /**
   * Writes the entry of the audit trail that proves the retirement, and the row from which verification starts. The owner of
   * the tables sets how long entries are kept at least, so that the service cannot delete newer ones.
   */
  private createRecord(): void {
    this.addSql(`
      create function audit_minimum_retention() returns interval language sql immutable as $$ select interval '1 year' $$`);
    this.addSql(`
      create function audit_record_retirement(
        of_chain bigint, up_to integer, count bigint, now timestamptz, host text) returns void
        ${AUDIT_FUNCTION} as $$
      declare
        seal_hash text := (select hash from audit_seal where chain = of_chain and audit_seal.number = up_to);
        proof bigint;
      begin
        if (select last_at from audit_seal where chain = of_chain and number = up_to)
          >= current_timestamp - audit_minimum_retention() then
          raise exception 'entries of the audit trail are kept for %', audit_minimum_retention()
            using errcode = 'insufficient_privilege';
        end if;
        insert into audit_entry (clinic_id, at, actor_role, access, operation, records, record_count, request_id, address,
          outcome)
        values (nullif(of_chain, 0), now, 'SYSTEM', 'WRITE', 'system retire audit',
          array['audit-seal/' || up_to, 'audit-hash/' || seal_hash], 2, gen_random_uuid(), host, 'OK')
        returning id into proof;
        insert into audit_retirement as kept (chain, number, hash, entries, retired_at, entry_id)
        values (of_chain, up_to, seal_hash, count, now, proof)
        on conflict (chain) do update set number = excluded.number, hash = excluded.hash,
          entries = kept.entries + excluded.entries, retired_at = excluded.retired_at, entry_id = excluded.entry_id;
      end $$`);
    this.addSql(`revoke all on function audit_record_retirement from public`);
  }

  /**
   * Retires the next seals of a chain, with about as many entries as requested. An absent seal or entry is an error: to
   * retire the others would hide that it is missing. The last retired seal is kept, because the next one refers to it.
   */
  private createRetire(): void {
    this.addSql(`
      create function retire_audit_entries(
        of_chain bigint, month timestamptz, before timestamptz, now timestamptz, host text, maximum integer) returns integer
        ${AUDIT_FUNCTION} as $$
      declare
        done integer;
        goal integer;
        batch record;
        deleted integer;
      begin
        perform pg_advisory_xact_lock(${RETIRE_LOCK});
        done := coalesce((select number from audit_retirement where chain = of_chain), 0);
        goal := audit_retirable(of_chain, month, before);
        if goal <= done then return 0; end if;
        select max(number) as up_to, count(*) as seals, sum(entry_count) as entries, min(first_at) as first_at,
            max(last_at) as last_at into batch
          from (select *, sum(entry_count) over (order by number) as running from (
            select ${SEAL_COLUMNS} from audit_seal where chain = of_chain and number > done and number <= goal
            order by number limit maximum) next) part
          where running <= maximum or number = done + 1;
        delete from audit_entry where at between batch.first_at and batch.last_at and id in (
          select unnest(entry_ids) from audit_seal where chain = of_chain and number > done and number <= batch.up_to);
        get diagnostics deleted = row_count;
        if batch.seals is distinct from batch.up_to - done or deleted is distinct from batch.entries then
          raise exception 'entries of the audit trail are missing in chain % after seal %', of_chain, done;
        end if;
        perform audit_record_retirement(of_chain, batch.up_to, deleted, now, host);
        delete from audit_seal where chain = of_chain and number < batch.up_to;
        return deleted;
      end $$`);
  }

  private createPrune(): void {
    this.addSql(`
      create function prune_audit_seals(maximum integer) returns integer
        ${AUDIT_FUNCTION} as $$
      declare
        pruned integer;
      begin
        delete from audit_seal using (
          select seal.chain, seal.number from audit_retirement kept cross join lateral (
            select chain, number from audit_seal where chain = kept.chain and number < kept.number limit maximum) seal
          limit maximum) old
          where audit_seal.chain = old.chain and audit_seal.number = old.number;
        get diagnostics pruned = row_count;
        return pruned;
      end $$`);
  }

  override down(): void {
    for (const name of [...FUNCTIONS, 'audit_record_retirement', 'audit_minimum_retention'])
      this.addSql(`drop function ${name}`);
    this.addSql(`drop table audit_retirement`);
    this.addSql(`revoke select (${SEAL_COLUMNS}) on audit_seal from ${service}`);
    this.addSql(`drop policy tenant on audit_seal`);
  }
}
