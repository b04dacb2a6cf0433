import { Migration } from '@mikro-orm/migrations';

/** Reminder history, messages with several reminders, and recipient preferences. */
export class Migration20261121150000ReminderTrust extends Migration {
  override up(): void {
    this.addSql(`
      alter table reminder
        add column caregiver_id bigint,
        add column send_at timestamptz(3),
        add column message_id uuid,
        add column redriven_at timestamptz(3),
        add column story jsonb not null default '[]',
        drop constraint reminder_status_check,
        add constraint reminder_status_check
          check (status in ('PENDING', 'QUEUED', 'SENT', 'DEAD', 'WITHDRAWN', 'SKIPPED'))`);
    // Reminders that an earlier release has queued have no message ID, so they are queued again.
    this.addSql(`
      update reminder set send_at = due_at, caregiver_id = session.caregiver_id,
        status = case reminder.status when 'QUEUED' then 'PENDING' else reminder.status end
      from session where session.clinic_id = reminder.clinic_id and session.id = reminder.session_id`);
    this.addSql(`
      alter table reminder
        alter column send_at set not null,
        alter column caregiver_id set not null,
        alter column story drop default`);
    this.addSql(`drop index reminder_due`);
    this.addSql(`create index reminder_due on reminder (send_at, id) where status = 'PENDING'`);
    this.addSql(`create index reminder_queued on reminder (queued_at) where status = 'QUEUED'`);
    this.addSql(`create index reminder_message on reminder (message_id) where status = 'QUEUED'`);
    this.addSql(`create index reminder_dead on reminder (clinic_id, id) where status = 'DEAD'`);
    this.addSql(`create index reminder_of_clinic on reminder (clinic_id, due_at, id)`);
    this.addSql(`create index reminder_of_caregiver on reminder (clinic_id, caregiver_id, due_at, id)`);
    this.addSql(`
      create table reminder_preference (
        clinic_id bigint not null references clinic,
        owner_kind text not null check (owner_kind in ('CLIENT', 'CARE_PROVIDER', 'CLINIC')),
        owner_id bigint not null,
        channels jsonb,
        quiet_hours jsonb,
        no_quiet_hours boolean not null,
        opted_out jsonb not null,
        revealing boolean not null,
        opt_out_token text not null unique,
        updated_at timestamptz(3) not null,
        primary key (owner_kind, owner_id)
      )`);
  }

  override down(): void {
    this.addSql(`drop table reminder_preference`);
    for (const index of ['of_caregiver', 'of_clinic', 'dead', 'message', 'queued', 'due']) {
      this.addSql(`drop index reminder_${index}`);
    }
    this.addSql(`update reminder set status = 'WITHDRAWN' where status = 'SKIPPED'`);
    this.addSql(`
      alter table reminder
        drop column caregiver_id,
        drop column send_at,
        drop column message_id,
        drop column redriven_at,
        drop column story,
        drop constraint reminder_status_check,
        add constraint reminder_status_check check (status in ('PENDING', 'QUEUED', 'SENT', 'DEAD', 'WITHDRAWN'))`);
    this.addSql(`create index reminder_due on reminder (due_at, id) where status = 'PENDING'`);
  }
}
