import { Migration } from '@mikro-orm/migrations';

/** What callers and addresses have used up in this minute. Of no Clinic; worth nothing after a crash, so unlogged. */
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
