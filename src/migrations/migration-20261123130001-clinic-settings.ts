import { Migration } from '@mikro-orm/migrations';
import { DATABASE_ROLES, openTable, tenantTable } from './tenant-table.js';

const { admin, reminders } = DATABASE_ROLES;

/** A Clinic has a locale; and when its settings change, its unsent reminders are planned again by a job. */
export class Migration20261123130001ClinicSettings extends Migration {
  override up(): void {
    this.addSql(`alter table clinic add column locale text`);
    this.addSql(`
      create table reminder_replanning (
        clinic_id bigint primary key references clinic,
        requested_at timestamptz(3) not null,
        after_due timestamptz(3),
        after_id bigint not null default 0
      )`);
    for (const statement of tenantTable('reminder_replanning', 'select, insert, update')) this.addSql(statement);
    this.addSql(`create policy administrator on reminder_replanning to ${admin} using (true)`);
    this.addSql(`grant select, insert, update on reminder_replanning to ${admin}`);
    this.addSql(`create policy dispatch on reminder_replanning to ${reminders} using (true)`);
    this.addSql(`grant select, update, delete on reminder_replanning to ${reminders}`);
  }

  override down(): void {
    this.addSql(`drop policy dispatch on reminder_replanning`);
    this.addSql(`drop policy administrator on reminder_replanning`);
    for (const statement of openTable('reminder_replanning')) this.addSql(statement);
    this.addSql(`drop table reminder_replanning`);
    this.addSql(`alter table clinic drop column locale`);
  }
}
