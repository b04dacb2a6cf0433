import { Migration } from '@mikro-orm/migrations';

const SEARCHED_TABLES = ['care_provider', 'client', 'book', 'design_plan'];

/**
 * Prepares searches by name: rows contain the transaction that changed them last, from which instances see that their
 * cached names are out of date (ADR 10). Also adds the order by creation, and the description and the link of Books.
 */
export class Migration20261123190100DirectorySearch extends Migration {
  override up(): void {
    this.addSql(`
      create function set_changed_in() returns trigger language plpgsql as $$
      begin
        new.changed_in := pg_current_xact_id()::text::bigint;
        return new;
      end $$`);
    for (const table of SEARCHED_TABLES) {
      this.addSql(`
        alter table ${table} add column changed_in bigint not null default (pg_current_xact_id()::text::bigint)`);
      this.addSql(`
        create trigger set_changed_in before update on ${table} for each row execute function set_changed_in()`);
      this.addSql(`create index ${table}_changed on ${table} (clinic_id, changed_in)`);
    }
    for (const table of ['care_provider', 'client', 'book'])
      this.addSql(`create index ${table}_created on ${table} (clinic_id, created_at, id)`);
    this.addSql(`alter table book add column description text, add column link text`);
  }

  override down(): void {
    this.addSql(`alter table book drop column description, drop column link`);
    for (const table of ['care_provider', 'client', 'book']) this.addSql(`drop index ${table}_created`);
    for (const table of SEARCHED_TABLES) {
      this.addSql(`drop index ${table}_changed`);
      this.addSql(`drop trigger set_changed_in on ${table}`);
      this.addSql(`alter table ${table} drop column changed_in`);
    }
    this.addSql(`drop function set_changed_in()`);
  }
}
