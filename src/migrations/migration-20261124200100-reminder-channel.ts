import { Migration } from '@mikro-orm/migrations';
import { createPreparedIndexes } from './prepared-index.js';
import { ADD_REMINDER_CHANNEL, FIND_REMINDER_CHANNEL, HAS_REMINDER_CHANNEL } from './reminder-channel-trigger.js';

/**
 * The channel of a reminder's last attempt, which is also a part of its history. Row-level security lets PostgreSQL use no
 * index on an expression of the history, so it has a column. A trigger sets it, also for instances of the previous release.
 */
export class Migration20261124200100ReminderChannel extends Migration {
  override up(): void {
    this.addSql(`
      do $$ begin
        -- The index exists if the rows were set before the migrations.
        if not exists (select from pg_index where indexrelid = to_regclass('reminder_channel') and indisvalid) then
          alter table reminder add column if not exists channel text;
          update reminder set channel = ${FIND_REMINDER_CHANNEL} where ${HAS_REMINDER_CHANNEL};
        end if;
      end $$`);
    for (const statement of ADD_REMINDER_CHANNEL) this.addSql(statement);
    for (const statement of createPreparedIndexes('migration-20261124200100-reminder-channel')) this.addSql(statement);
  }

  override down(): void {
    this.addSql(`drop trigger set_channel on reminder`);
    this.addSql(`drop function set_reminder_channel`);
    this.addSql(`drop index reminder_channel`);
    this.addSql(`alter table reminder drop column channel`);
  }
}
