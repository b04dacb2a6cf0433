import { Migration } from '@mikro-orm/migrations';

/**
 * Each revoked token has the ID of the transaction that added it, so that instances read only those that were added since
 * their last read. The default also applies to rows that instances of the previous release add.
 */
export class Migration20261127100000RevokedTokenChanges extends Migration {
  override up(): void {
    this.addSql(`alter table revoked_token add column changed_in xid8 not null default pg_current_xact_id()`);
    this.addSql(`create index revoked_token_changed on revoked_token (changed_in)`);
  }

  override down(): void {
    this.addSql(`alter table revoked_token drop column changed_in`);
  }
}
