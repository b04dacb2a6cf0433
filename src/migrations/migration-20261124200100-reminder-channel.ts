import { Migration } from '@mikro-orm/migrations';

/** The channel of the last attempt. `ReminderReader` filters by the same expression. */
const CHANNEL = `(jsonb_path_query_array(story, '$[*].channel') ->> -1)`;

/**
 * An index for lists of the reminders of a channel. The channel of an attempt is a part of the history, so the index also
 * covers what the previous release writes.
 */
export class Migration20261124200100ReminderChannel extends Migration {
  override up(): void {
    this.addSql(`
      create index reminder_channel on reminder (clinic_id, ${CHANNEL}, due_at, id) where ${CHANNEL} is not null`);
  }

  override down(): void {
    this.addSql(`drop index reminder_channel`);
  }
}
