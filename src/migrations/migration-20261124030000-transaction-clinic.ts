import { Migration } from '@mikro-orm/migrations';
import { CALLERS_CLINIC, DATABASE_ROLES, OWN_CLINIC, TRANSACTION_CLINIC } from './tenant-table.js';

const { login, service } = DATABASE_ROLES;

const CALLER = `current_setting('app.caller', true)`;

/** The SQL with which the policies compare rows, the Clinic, the absence of a Clinic, and the caller. */
type Conditions = { rows: string; clinic: string; absent: string; caller: string };

/**
 * Row-level security compares rows with the Clinic that the transaction has set, instead of looking the caller's Clinic up
 * for each table of each statement.
 */
export class Migration20261124030000TransactionClinic extends Migration {
  override up(): void {
    this.setPolicies({ rows: OWN_CLINIC, clinic: TRANSACTION_CLINIC, absent: TRANSACTION_CLINIC, caller: CALLER });
    this.addSql(`alter table audit_entry alter column clinic_id set default ${TRANSACTION_CLINIC}`);
    // The service looks the Clinic up before it has set the role of the transaction.
    this.addSql(`grant execute on function current_clinic() to ${login}`);
  }

  override down(): void {
    this.addSql(`revoke execute on function current_clinic() from ${login}`);
    this.addSql(`alter table audit_entry alter column clinic_id set default current_clinic()`);
    this.setPolicies({
      rows: CALLERS_CLINIC,
      clinic: '(select current_clinic())',
      absent: 'current_clinic()',
      caller: `(select ${CALLER})`,
    });
  }

  private setPolicies({ rows, clinic, absent, caller }: Conditions): void {
    this.addSql(`
      do $$ declare policy record; begin
        for policy in
          select tablename from pg_policies
          where schemaname = current_schema() and policyname = 'tenant' and '${service}' = any (roles)
            and tablename not in ('clinic', 'idempotency_key')
        loop
          execute format('alter policy tenant on %I using (%s)', policy.tablename, $condition$${rows}$condition$);
        end loop;
        -- The policy for entries without a Clinic.
        select policyname into strict policy from pg_policies
          where schemaname = current_schema() and tablename = 'audit_entry' and cmd = 'INSERT' and '${service}' = any (roles);
        execute format('alter policy %I on audit_entry with check (%s)', policy.policyname,
          $condition$clinic_id is null and ${absent} is null$condition$);
      end $$`);
    this.addSql(`alter policy tenant on clinic using (id = ${clinic})`);
    for (const policy of ['tenant', 'administrator'])
      this.addSql(`alter policy ${policy} on idempotency_key using (caller = ${caller})`);
  }
}
