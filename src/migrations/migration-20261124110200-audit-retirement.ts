import { Migration } from '@mikro-orm/migrations';
import {
  PRUNE_AUDIT_SEALS,
  RECORD_AUDIT_RETIREMENT,
  RETIRE_AUDIT_ENTRIES,
  SEAL_COLUMNS,
  STRADDLING,
} from './audit-functions.js';
import { DATABASE_ROLES, restrictToOwner, TRANSACTION_CLINIC } from './tenant-table.js';

const { service, audit } = DATABASE_ROLES;

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
    this.createRetire();
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

  /** The owner of the tables sets how long entries are kept at least, so that the service cannot delete newer ones. */
  private createRetire(): void {
    this.addSql(`
      create function audit_minimum_retention() returns interval language sql immutable as $$ select interval '1 year' $$`);
    for (const statement of [RECORD_AUDIT_RETIREMENT, RETIRE_AUDIT_ENTRIES, PRUNE_AUDIT_SEALS]) this.addSql(statement);
    this.addSql(`revoke all on function audit_record_retirement from public`);
  }

  override down(): void {
    for (const name of [...FUNCTIONS, 'audit_record_retirement', 'audit_minimum_retention'])
      this.addSql(`drop function ${name}`);
    this.addSql(`drop table audit_retirement`);
    this.addSql(`revoke select (${SEAL_COLUMNS}) on audit_seal from ${service}`);
    this.addSql(`drop policy tenant on audit_seal`);
  }
}
