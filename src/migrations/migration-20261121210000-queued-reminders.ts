import { Migration } from '@mikro-orm/migrations';

/**
 * The sweep alone is to look through what is queued by its time. For the look-up of a message the same index seemed as
 * good to PostgreSQL, which remembers a table without any that are queued, and read all 100,000 that were.
 */
export class Migration20261121210000QueuedReminders extends Migration {
  /** The new one first: while an index is made, others may read; while one is dropped, nobody. */
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
