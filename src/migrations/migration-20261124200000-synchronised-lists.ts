import { Migration } from '@mikro-orm/migrations';
import { createPreparedIndexes } from './prepared-index.js';
import { DATABASE_ROLES, disableTenantIsolation, enableTenantIsolation } from './tenant-table.js';

const { maintenance, system } = DATABASE_ROLES;

/** The tables with tombstones, with the key and the time of a row. */
const TOMBSTONES = [
  ['hidden_session', 'care_provider_id, session_id', 'hidden_at'],
  ['removed_homework', 'homework_id', 'removed_at'],
  ['removed_session', 'clinic_id, session_id', 'removed_at'],
] as const;

/** A sync token is valid for 30 days. It needs no older tombstones. */
const EXPIRED = `now() - interval '30 days'`;

/**
 * Lets the lists of series and homework answer with changes since an instant. Adds versions, the time of a series' own last
 * change, and the homework that a revision or the retention job has removed. Triggers cover instances of the previous
 * release.
 */
export class Migration20261124200000SynchronisedLists extends Migration {
  override up(): void {
    this.addSql(`
      alter table session_series
        add column version integer not null default 1, add column changed_at timestamptz(3)`);
    // Absent until the first change: a new series is found by its Sessions.
    this.addSql(`
      create index session_series_changed on session_series (clinic_id, changed_at, id) where changed_at is not null`);
    this.addSql(`alter table homework add column version integer not null default 1`);
    // For lists of all homework of a Clinic: without them, a filter that few rows match would read all rows.
    for (const statement of createPreparedIndexes('migration-20261124200000-synchronised-lists'))
      this.addSql(statement);
    this.createRemovedHomework();
    this.countChangesOfPreviousRelease();
    for (const [table, key, at] of TOMBSTONES) this.openToMaintenance(table, key, at);
  }

  private createRemovedHomework(): void {
    this.addSql(`
      create table removed_homework (
        homework_id bigint primary key,
        clinic_id bigint not null references clinic,
        client_id bigint not null,
        series_id uuid not null,
        version integer not null,
        removed_at timestamptz(3) not null
      )`);
    this.addSql(`create index removed_homework_clinic on removed_homework (clinic_id, removed_at, homework_id)`);
    this.addSql(`
      create index removed_homework_client on removed_homework (clinic_id, client_id, removed_at, homework_id)`);
    for (const statement of enableTenantIsolation('removed_homework', 'select, insert')) this.addSql(statement);
    // The retention job deletes homework, and the trigger runs with its role.
    this.addSql(`create policy system on removed_homework for insert to ${system} with check (true)`);
    this.addSql(`grant insert on removed_homework to ${system}`);
    this.addSql(`
      create function keep_removed_homework() returns trigger language plpgsql as $$
      begin
        insert into removed_homework (homework_id, clinic_id, client_id, series_id, version, removed_at)
        select old.id, clinic_id, client_id, series_id, old.version + 1, clock_timestamp() from session
        where clinic_id = old.clinic_id and id = old.session_id;
        return null;
      end $$`);
    this.addSql(`
      create trigger keep_removed after delete on homework for each row execute function keep_removed_homework()`);
  }

  /** The previous release sets neither column when it changes a row. */
  private countChangesOfPreviousRelease(): void {
    this.addSql(`
      create function count_series_change() returns trigger language plpgsql as $$
      begin
        new.version := old.version + 1;
        new.changed_at := greatest(old.changed_at, clock_timestamp());
        return new;
      end $$`);
    this.addSql(`
      create trigger count_change before update on session_series for each row
        when (new.version = old.version and new.* is distinct from old.*)
        execute function count_series_change()`);
    this.addSql(`
      create function count_homework_change() returns trigger language plpgsql as $$
      begin
        new.version := old.version + 1;
        return new;
      end $$`);
    this.addSql(`
      create trigger count_change before update on homework for each row
        when (new.version = old.version and new.* is distinct from old.*)
        execute function count_homework_change()`);
  }

  private openToMaintenance(table: string, key: string, at: string): void {
    this.addSql(`create index ${table}_age on ${table} (${at})`);
    this.addSql(`create policy expired on ${table} to ${maintenance} using (${at} < ${EXPIRED})`);
    this.addSql(`grant select (${key}, ${at}), delete on ${table} to ${maintenance}`);
  }

  override down(): void {
    for (const table of ['hidden_session', 'removed_session']) {
      this.addSql(`drop policy expired on ${table}`);
      this.addSql(`revoke all on ${table} from ${maintenance}`);
      this.addSql(`drop index ${table}_age`);
    }
    this.addSql(`drop trigger count_change on homework`);
    this.addSql(`drop function count_homework_change`);
    this.addSql(`drop trigger count_change on session_series`);
    this.addSql(`drop function count_series_change`);
    this.addSql(`drop trigger keep_removed on homework`);
    this.addSql(`drop function keep_removed_homework`);
    for (const policy of ['expired', 'system']) this.addSql(`drop policy ${policy} on removed_homework`);
    this.addSql(`revoke all on removed_homework from ${maintenance}, ${system}`);
    for (const statement of disableTenantIsolation('removed_homework')) this.addSql(statement);
    this.addSql(`drop table removed_homework`);
    this.addSql(`drop index homework_completed`);
    this.addSql(`drop index homework_book`);
    this.addSql(`alter table homework drop column version`);
    this.addSql(`drop index session_series_changed`);
    this.addSql(`alter table session_series drop column version, drop column changed_at`);
  }
}
