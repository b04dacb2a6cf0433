import { Migration } from '@mikro-orm/migrations';

/** Requests per minute for each caller and address. Unlogged, because the counts are not needed after a crash. */
export class Migration20261121161000RateLimit extends Migration {
  override up(): void {
    this.addSql(`
      create unlogged table rate_limit_count (
        minute bigint not null,
        digest text not null,
        used bigint not null,
        primary key (minute, digest)
      )`);
  }

  override down(): void {
    this.addSql(`drop table rate_limit_count`);
  }
}
