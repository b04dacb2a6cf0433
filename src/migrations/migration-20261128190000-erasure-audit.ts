import { Migration } from '@mikro-orm/migrations';
import { DATABASE_ROLES } from './tenant-table.js';

const { admin } = DATABASE_ROLES;

/** The entry of a request to erase a Clinic is also in the audit trail of the Clinic, which an administrator writes. */
export class Migration20261128190000ErasureAudit extends Migration {
  override up(): void {
    this.addSql(`
      create policy clinic_erasure on audit_entry for insert to ${admin} with check (
        actor_role = 'ADMIN'
        and exists (
          select from erasure where erasure.clinic_id = audit_entry.clinic_id and subject_kind = 'CLINIC'))`);
  }

  override down(): void {
    this.addSql(`drop policy clinic_erasure on audit_entry`);
  }
}
