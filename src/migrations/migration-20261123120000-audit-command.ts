import { Migration } from '@mikro-orm/migrations';
import { restrictToOwner, DATABASE_ROLES } from './tenant-table.js';

const { service, admin, audit } = DATABASE_ROLES;

/** The columns written for a command's entry. The Clinic is null, instead of the default `current_clinic()`. */
const WRITTEN =
  'clinic_id, at, actor_role, actor_subject, access, operation, records, record_count, request_id, address, outcome';

/** Audit entries for commands, and audit entries that represent several requests. */
export class Migration20261123120000AuditCommand extends Migration {
  override up(): void {
    this.addSql(`alter table audit_entry add column count integer not null default 1 check (count > 0)`);
    this.addSql(`grant insert (count) on audit_entry to ${service}, ${admin}`);
    this.addSql(`create policy command on audit_entry for insert to ${audit}
      with check (clinic_id is null and actor_role = 'COMMAND')`);
    this.addSql(`grant insert (${WRITTEN}) on audit_entry to ${audit}`);
    this.createPendingCommands();
  }

  /** Commands whose entries the service writes at its next start. Not included in backups. */
  private createPendingCommands(): void {
    this.addSql(`
      create table audit_pending_command (
        request_id uuid primary key,
        at timestamptz(3) not null,
        actor_subject text not null,
        access text not null,
        operation text not null,
        records text[] not null,
        address text not null
      )`);
    for (const statement of restrictToOwner('audit_pending_command')) this.addSql(statement);
    this.addSql(`create policy audit on audit_pending_command to ${audit} using (true)`);
    this.addSql(`grant select, delete on audit_pending_command to ${audit}`);
  }

  override down(): void {
    this.addSql(`drop table audit_pending_command`);
    this.addSql(`revoke insert (${WRITTEN}) on audit_entry from ${audit}`);
    this.addSql(`drop policy command on audit_entry`);
    this.addSql(`alter table audit_entry drop column count`);
  }
}
