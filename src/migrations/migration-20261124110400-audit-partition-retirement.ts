import { Migration } from '@mikro-orm/migrations';
import { RETIRE_AUDIT_PARTITION } from './audit-functions.js';
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
    this.addSql(RETIRE_AUDIT_PARTITION);
    this.addSql(`revoke all on function ${RETIRE} from public`);
    this.addSql(`grant execute on function ${RETIRE} to ${audit}`);
  }

  /**
   * For each chain the last retired seal, the last one to retire, and whether that leaves no entry from before the month.
   * The recursion finds the chains with one lookup for each, because a chain can have millions of seals.
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
