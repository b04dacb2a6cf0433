import { Migration } from '@mikro-orm/migrations';

/**
 * The channel of a reminder's last attempt, which is also a part of its history. Row-level security lets PostgreSQL use no
 * index on an expression of the history, so it has a column. A trigger sets it, also for instances of the previous release.
 */
export class Migration20261124200100ReminderChannel extends Migration {
  override up(): void {
    this.addSql(`alter table reminder add column channel text`);
    this.addSql(`
      update reminder set channel = jsonb_path_query_array(story, '$[*].channel') ->> -1
      where jsonb_path_exists(story, '$[*].channel')`);
    this.addSql(`
      create index reminder_channel on reminder (clinic_id, channel, due_at, id) where channel is not null`);
    this.addSql(`
      create function set_reminder_channel() returns trigger language plpgsql as $$
      begin
        new.channel := new.story -> -1 ->> 'channel';
        return new;
      end $$`);
    this.addSql(`
      create trigger set_channel before update of story on reminder for each row
        when (jsonb_exists(new.story -> -1, 'channel')) execute function set_reminder_channel()`);
  }

  override down(): void {
    this.addSql(`drop trigger set_channel on reminder`);
    this.addSql(`drop function set_reminder_channel`);
    this.addSql(`drop index reminder_channel`);
    this.addSql(`alter table reminder drop column channel`);
  }
}
