import { Migration } from '@mikro-orm/migrations';
import { ADD_AUDIT_PARTITION } from './audit-functions.js';

/** Concurrent reads find the entries that a new partition takes over, in databases that were migrated before. */
export class Migration20261128170000AuditPartitionLock extends Migration {
  override up(): void {
    this.addSql(ADD_AUDIT_PARTITION);
  }

  /** The function has the same effect as before. */
  override down(): void {
    this.addSql(`select 1`);
  }
}
