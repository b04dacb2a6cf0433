import { Migration } from '@mikro-orm/migrations';
import { DATABASE_ROLES } from './tenant-table.js';

const { reminders } = DATABASE_ROLES;

/**
 * Hides notices of erasures from instances of the release before, which would send them as reminders of Sessions that do
 * not exist. The reminder transactions of this release set a variable, without which no notice is found. A release that
 * does not run together with that one can remove the policy and the variable.
 */
export class Migration20261125160000NoticesByRelease extends Migration {
  override up(): void {
    this.addSql(`
      create policy knows_notices on reminder as restrictive to ${reminders}
        using (session_id is not null or current_setting('app.knows_notices', true) = 'on')`);
  }

  override down(): void {
    this.addSql(`drop policy knows_notices on reminder`);
  }
}
