import { Migration } from '@mikro-orm/migrations';
import { createRole, DATABASE_ROLES, allowServiceToActAs } from './tenant-table.js';

const { monitoring } = DATABASE_ROLES;

/** The columns that metrics need: statuses and times. The audit entry IDs are needed only for joins. */
const READABLE = {
  reminder: 'status, due_at, send_at, queued_at',
  audit_entry: 'id, at',
  audit_unsealed: 'entry_id',
  idempotency_key: 'expires_at',
};

/** A role for metrics, which cannot read names, texts or Clinics. */
export class Migration20261123140000Monitoring extends Migration {
  override up(): void {
    this.addSql(createRole(monitoring));
    this.addSql(allowServiceToActAs(monitoring));
    this.addSql(`grant usage on schema public to ${monitoring}`);
    for (const [table, columns] of Object.entries(READABLE)) {
      this.addSql(`create policy monitoring on ${table} for select to ${monitoring} using (true)`);
      this.addSql(`grant select (${columns}) on ${table} to ${monitoring}`);
    }
  }

  override down(): void {
    for (const [table, columns] of Object.entries(READABLE)) {
      this.addSql(`drop policy monitoring on ${table}`);
      this.addSql(`revoke select (${columns}) on ${table} from ${monitoring}`);
    }
    // Like the other roles, this role is not dropped, because another database on the server may use it.
    this.addSql(`revoke usage on schema public from ${monitoring}`);
  }
}
