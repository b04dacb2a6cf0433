import { Migration } from '@mikro-orm/migrations';
import { DATABASE_ROLES } from './tenant-table.js';

/** The instances that use this database. The rows belong to no Clinic. */
export class Migration20261123100000Instance extends Migration {
  override up(): void {
    this.addSql(`
      create table instance (
        id uuid primary key,
        release text not null,
        clock_offset_ms bigint not null,
        zone_data_version text not null,
        started_at timestamptz(3) not null,
        last_seen timestamptz(3) not null
      )`);
    this.addSql(`grant select, insert, update, delete on instance to ${DATABASE_ROLES.login}`);
  }

  override down(): void {
    this.addSql(`drop table instance`);
  }
}
