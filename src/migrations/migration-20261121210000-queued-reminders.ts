import { Migration } from '@mikro-orm/migrations';

/**
 * Only the sweep uses the index on the time of queued reminders. With the statistics of a table without queued reminders,
 * PostgreSQL also used it to find a message, and read all 100,000 queued rows.
 */
export class Migration20261121210000QueuedReminders extends Migration {
  /** Creates the new index first: CREATE INDEX allows reads, DROP INDEX blocks them. */
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
