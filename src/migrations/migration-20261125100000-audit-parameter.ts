import { Migration } from '@mikro-orm/migrations';
import {
  ADD_AUDIT_PARTITION,
  COMPLETE_AUDIT_SEALS,
  ENSURE_AUDIT_PARTITIONS,
  PRUNE_AUDIT_SEALS,
  RECORD_AUDIT_RETIREMENT,
  RETIRE_AUDIT_ENTRIES,
  RETIRE_AUDIT_PARTITION,
} from './audit-functions.js';

/**
 * The functions that change the audit trail had the variable `app.audit_retiring` as a property, which an owner without the
 * rights of a superuser can neither create nor restore. Databases that have such functions get those of new databases.
 */
export class Migration20261125100000AuditParameter extends Migration {
  override up(): void {
    for (const statement of [
      COMPLETE_AUDIT_SEALS,
      RECORD_AUDIT_RETIREMENT,
      RETIRE_AUDIT_ENTRIES,
      PRUNE_AUDIT_SEALS,
      ADD_AUDIT_PARTITION,
      ENSURE_AUDIT_PARTITIONS,
      RETIRE_AUDIT_PARTITION,
    ])
      this.addSql(statement);
  }

  /** The functions have the same effect as before. */
  override down(): void {
    this.addSql(`select 1`);
  }
}
