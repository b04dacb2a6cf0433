import { Migration } from '@mikro-orm/migrations';

/** Stores the start of the Session in each reminder, which is not sent from that time on. */
export class Migration20261123130000ReminderNotAfter extends Migration {
  override up(): void {
    this.addSql(`alter table reminder add column not_after timestamptz(3)`);
    // Settled reminders do not need the value.
    this.addSql(`
      update reminder set not_after = session.starts_at
      from session
      where session.clinic_id = reminder.clinic_id and session.id = reminder.session_id
        and reminder.status not in ('SENT', 'SKIPPED') and reminder.rule->>'kind' <> 'HOMEWORK'
        and reminder.due_at < session.starts_at`);
  }

  override down(): void {
    this.addSql(`alter table reminder drop column not_after`);
  }
}
