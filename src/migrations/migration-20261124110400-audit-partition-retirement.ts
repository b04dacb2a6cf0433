import { Migration } from '@mikro-orm/migrations';
import { AUDIT_FUNCTION, RETIRE_LOCK } from './audit-functions.js';
import { DATABASE_ROLES } from './tenant-table.js';

const { audit } = DATABASE_ROLES;
const RETIRE = 'retire_audit_partition(timestamptz, timestamptz, timestamptz, text)';

/**
 * Retires the oldest partition of the audit trail as a whole, if it ends before a month, and all of its entries are sealed
 * and older than a limit. The entries are counted first: a partition with other rows than its seals is kept, so that verification can report them.
 */
export class Migration20261124110400AuditPartitionRetirement extends Migration {
  override up(): void {
    this.createGoals();
    this.addSql(`
      create function retire_audit_partition(month timestamptz, before timestamptz, now timestamptz, host text)
        returns table (partition_name text, entries bigint)
        ${AUDIT_FUNCTION} set lock_timeout = '2s' as $$
      declare
        part record;
        goals jsonb;
        goal record;
        others bigint;
      begin
        perform pg_advisory_xact_lock(${RETIRE_LOCK});
        select * into part from audit_partitions() order by upper limit 1;
        if not found or part.upper > least(month, now) then return; end if;
        if exists (select from audit_unsealed where at is null or at < part.upper)
          or exists (select from audit_seal where last_at is null)
          or exists (select from audit_entry_default where at < part.upper)
          or exists (select from audit_retirement_goals(part.upper, before) where not complete) then return; end if;
        execute format('select count(*) from %I', part.name) into entries;
        select jsonb_agg(to_jsonb(g) || jsonb_build_object('sealed', (
            select sum(entry_count) from audit_seal seal
            where seal.chain = g.chain and number > done and number <= up_to))) into goals
          from audit_retirement_goals(part.upper, before) g where up_to > done;
        -- A seal at the end of the month can also have entries of the next one.
        delete from audit_entry where at >= part.upper and at < before and id in (
          select unnest(entry_ids)
          from audit_seal seal join jsonb_to_recordset(goals) as g (chain bigint, done integer, up_to integer) using (chain)
          where number > done and number <= up_to and last_at >= part.upper);
        get diagnostics others = row_count;
        if entries + others is distinct from 
            (select coalesce(sum(sealed), 0) from jsonb_to_recordset(goals) as g (sealed bigint)) then
          raise exception 'the entries of % differ from their seals: run "npm run audit-verify"', part.name;
        end if;
        for goal in select * from jsonb_to_recordset(goals) as g (chain bigint, up_to integer, sealed bigint) loop
          perform audit_record_retirement(goal.chain, goal.up_to, goal.sealed, now, host);
        end loop;
        execute format('drop table %I', part.name);
        partition_name := part.name;
        entries := entries + others;
        return next;
      end $$`);
    this.addSql(`revoke all on function ${RETIRE} from public`);
    this.addSql(`grant execute on function ${RETIRE} to ${audit}`);
  }

  /**
   * For each chain the last retired seal, the last one to retire, and whether that leaves no entry from before the month.
   * The recursion finds the chains with one look-up for each, because a chain can have millions of seals.
   */
  private createGoals(): void {
    this.addSql(`
      create function audit_retirement_goals(month timestamptz, before timestamptz)
        returns table (chain bigint, done integer, up_to integer, complete boolean)
        language sql stable set search_path = public, pg_temp as $$
        with recursive chains as (
          select min(chain) as chain from audit_seal
          union all
          select (select min(seal.chain) from audit_seal seal where seal.chain > chains.chain) from chains
          where chains.chain is not null
        )
        select chains.chain, coalesce(kept.number, 0), up_to,
          up_to = audit_retirable(chains.chain, month, 'infinity') and not exists (
            select from audit_seal seal
            where seal.chain = chains.chain and seal.number = up_to + 1 and seal.first_at < month)
        from chains left join audit_retirement kept using (chain)
          cross join lateral audit_retirable(chains.chain, month, before) as up_to
        where chains.chain is not null
      $$`);
    this.addSql(`revoke all on function audit_retirement_goals from public`);
  }

  override down(): void {
    this.addSql(`drop function ${RETIRE}`);
    this.addSql(`drop function audit_retirement_goals`);
  }
}
