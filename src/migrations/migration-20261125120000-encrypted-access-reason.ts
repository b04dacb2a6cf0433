import { Migration } from '@mikro-orm/migrations';
import { DATABASE_ROLES } from './tenant-table.js';

const { admin } = DATABASE_ROLES;

/**
 * Allows the service to take the ID of an administrator access from its sequence before it inserts the access, because the
 * encrypted reason is bound to the ID (ADR 17).
 */
export class Migration20261125120000EncryptedAccessReason extends Migration {
  override up(): void {
    this.addSql(`grant usage on sequence administrator_access_id_seq to ${admin}`);
    this.addSql(`grant insert (id) on administrator_access to ${admin}`);
  }

  override down(): void {
    this.addSql(`revoke insert (id) on administrator_access from ${admin}`);
    this.addSql(`revoke usage on sequence administrator_access_id_seq from ${admin}`);
  }
}
