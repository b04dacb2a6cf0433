import { Migration } from '@mikro-orm/migrations';

const TABLES = ['clinic', 'care_provider', 'client', 'book'];

/** Counts the changes of directory records, for `ETag` and `If-Match`. The previous release does not count its own. */
export class Migration20261124030000DirectoryVersions extends Migration {
  override up(): void {
    for (const table of TABLES) this.addSql(`alter table ${table} add column version integer not null default 1`);
  }

  override down(): void {
    for (const table of TABLES) this.addSql(`alter table ${table} drop column version`);
  }
}
