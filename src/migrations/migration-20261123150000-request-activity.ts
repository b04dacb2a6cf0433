import { Migration } from '@mikro-orm/migrations';

/** Stores when an instance last served requests, so that background work on all instances can yield to requests. */
export class Migration20261123150000RequestActivity extends Migration {
  override up(): void {
    this.addSql(`alter table instance add column serving_at timestamptz(3)`);
  }

  override down(): void {
    this.addSql(`alter table instance drop column serving_at`);
  }
}
