import { Migration } from '@mikro-orm/migrations';

/**
 * The trace in which a reminder was planned. The column is filled by its default, from a setting of the transaction that
 * only a recorded request sets, so a service without OpenTelemetry neither writes nor sends it. Both statements change
 * the catalog only, whatever the size of the table: the default applies to later rows.
 */
export class Migration20261124040000ReminderTraces extends Migration {
  override up(): void {
    this.addSql(`alter table reminder add column traceparent text`);
    this.addSql(
      `alter table reminder alter column traceparent set default nullif(current_setting('app.traceparent', true), '')`,
    );
  }

  override down(): void {
    this.addSql(`alter table reminder drop column traceparent`);
  }
}
