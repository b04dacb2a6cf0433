import { Migration } from '@mikro-orm/migrations';
import { COMPLETE_AUDIT_SEALS, STRADDLING } from './audit-functions.js';
import { DATABASE_ROLES } from './tenant-table.js';

const { audit, monitoring } = DATABASE_ROLES;

/** Seals know the times of their entries, by which the start of a chain can be retired. */
export class Migration20261124110100AuditSealTimes extends Migration {
  override up(): void {
    this.addTimes();
    this.allowDeletionToFunctions();
    this.addSql(COMPLETE_AUDIT_SEALS);
    this.addSql(`revoke all on function complete_audit_seals(integer) from public`);
    this.addSql(`grant execute on function complete_audit_seals(integer) to ${audit}`);
  }

  /**
   * The times of the entries of a seal. `last_at` never decreases along a chain, so an index finds the last seal before an
   * instant. A trigger writes them, also for instances of the previous release. `complete_audit_seals` adds them to
   * earlier seals.
   */
  private addTimes(): void {
    this.addSql(`alter table audit_unsealed add column at timestamptz(3)`);
    this.addSql(`update audit_unsealed set at = e.at from audit_entry e where e.id = entry_id`);
    this.addSql(`grant select (at) on audit_unsealed to ${monitoring}`);
    this.replaceUnsealed('(entry_id, at) values (new.id, new.at)');
    this.addSql(`
      alter table audit_seal
        add column entry_count integer, add column first_at timestamptz(3), add column last_at timestamptz(3)`);
    this.addSql(`create index audit_seal_last_at on audit_seal (chain, last_at, number)`);
    this.addSql(`create index audit_seal_straddling on audit_seal (chain, first_at, number) where ${STRADDLING}`);
    this.addSql(`create index audit_seal_incomplete on audit_seal (chain, number) where last_at is null`);
    this.addSql(`
      create function audit_seal_times() returns trigger language plpgsql as $$
      begin
        select min(at), max(at) into new.first_at, new.last_at from audit_unsealed where entry_id = any (new.entry_ids);
        new.entry_count := cardinality(new.entry_ids);
        new.last_at := greatest(new.last_at,
          (select last_at from audit_seal where chain = new.chain and number = new.number - 1));
        return new;
      end $$`);
    this.addSql(`create trigger audit_seal_times before insert on audit_seal
      for each row execute function audit_seal_times()`);
  }

  private replaceUnsealed(row: string): void {
    this.addSql(`
      create or replace function audit_unsealed_add() returns trigger
        language plpgsql security definer set search_path = public, pg_temp as $$
      begin
        insert into audit_unsealed ${row};
        return null;
      end $$`);
  }

  /** No role but the owner may delete, and the owner only through functions that set a variable. */
  private allowDeletionToFunctions(): void {
    this.replaceRefuse(`
        if current_setting('app.audit_retiring', true) = 'on' and tg_op <> 'TRUNCATE' then return null; end if;`);
  }

  private replaceRefuse(exception: string): void {
    this.addSql(`
      create or replace function audit_refuse() returns trigger language plpgsql as $$
      begin${exception}
        raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
      end $$`);
  }

  override down(): void {
    this.addSql(`drop function complete_audit_seals(integer)`);
    this.addSql(`drop trigger audit_seal_times on audit_seal`);
    this.addSql(`drop function audit_seal_times`);
    this.addSql(`alter table audit_seal drop column entry_count, drop column first_at, drop column last_at`);
    this.replaceUnsealed('(entry_id) values (new.id)');
    this.addSql(`alter table audit_unsealed drop column at`);
    this.replaceRefuse('');
  }
}
