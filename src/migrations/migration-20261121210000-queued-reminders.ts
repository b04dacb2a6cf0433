import { Migration } from '@mikro-orm/migrations';

/**
 * Restricts the index on `queued_at` to the sweep. If the table statistics dated from a time without queued reminders,
 * PostgreSQL also used the index to find the reminders of one message, and read every queued row.
 */
export class Migration20261121210000QueuedReminders extends Migration {
  /** Creates the new index first, because CREATE INDEX allows reads and DROP INDEX blocks them. */
  override up(): void {
    this.addSql(`create index reminder_handed_over on reminder (queued_at)
      where status = 'QUEUED' and queued_at is not null`);
    this.addSql(`drop index reminder_queued`);
  }

  override down(): void {
    this.addSql(`create index reminder_queued on reminder (queued_at) where status = 'QUEUED'`);
    this.addSql(`drop index reminder_handed_over`);
  }
}
