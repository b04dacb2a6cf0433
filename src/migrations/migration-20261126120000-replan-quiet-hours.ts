import { Migration } from '@mikro-orm/migrations';
import { DATABASE_ROLES } from './tenant-table.js';

const { system } = DATABASE_ROLES;

/** Lets the job that adopts new time zone data request the replanning of Clinics with quiet hours. */
export class Migration20261126120000ReplanQuietHours extends Migration {
  override up(): void {
    this.addSql(`create policy system on reminder_replanning for insert to ${system} with check (true)`);
    this.addSql(`grant insert on reminder_replanning to ${system}`);
  }

  override down(): void {
    this.addSql(`revoke insert on reminder_replanning from ${system}`);
    this.addSql(`drop policy system on reminder_replanning`);
  }
}
