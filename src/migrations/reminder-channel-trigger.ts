/** The channel of the last attempt in the history of a reminder. */
export const FIND_REMINDER_CHANNEL = `jsonb_path_query_array(story, '$[*].channel') ->> -1`;
export const HAS_REMINDER_CHANNEL = `jsonb_path_exists(story, '$[*].channel')`;

/** The statements that add the column and the trigger that sets it. They are repeatable, and read no rows. */
export const ADD_REMINDER_CHANNEL = [
  `alter table reminder add column if not exists channel text`,
  `
      create or replace function set_reminder_channel() returns trigger language plpgsql as $$
      begin
        new.channel := new.story -> -1 ->> 'channel';
        return new;
      end $$`,
  `
      create or replace trigger set_channel before update of story on reminder for each row
        when (jsonb_exists(new.story -> -1, 'channel')) execute function set_reminder_channel()`,
] as const;
