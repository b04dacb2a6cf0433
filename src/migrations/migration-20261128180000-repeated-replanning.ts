import { Migration } from '@mikro-orm/migrations';

/** When a request is processed again, for reminders that another transaction was creating during the first time. */
export class Migration20261128180000RepeatedReplanning extends Migration {
  override up(): void {
    this.addSql(`alter table reminder_replanning add column repeat_after timestamptz(3)`);
  }

  override down(): void {
    this.addSql(`alter table reminder_replanning drop column repeat_after`);
  }
}
