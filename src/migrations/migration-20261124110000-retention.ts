import { Migration } from '@mikro-orm/migrations';
import { createPreparedIndexes } from './prepared-index.js';
import { DATABASE_ROLES, enableTenantIsolation } from './tenant-table.js';

const { system } = DATABASE_ROLES;

/** The tables from which the retention job deletes rows. The job can already read and change all but the homework. */
const DELETED_FROM = ['session_series', 'session', 'homework', 'reminder'];

/**
 * How long a Clinic keeps each kind of data, one row for each version of its choice, and a tombstone for each Session that
 * the retention job has removed.
 */
export class Migration20261124110000Retention extends Migration {
  override up(): void {
    this.addSql(`
      create table retention_setting (
        clinic_id bigint not null references clinic,
        version integer not null,
        sessions text,
        homework text,
        reminders text,
        audit text,
        changed_at timestamptz(3) not null,
        primary key (clinic_id, version)
      )`);
    for (const statement of enableTenantIsolation('retention_setting', 'select, insert')) this.addSql(statement);
    this.createTombstones();
    for (const statement of createPreparedIndexes('migration-20261124110000-retention')) this.addSql(statement);
    this.openToSystem();
  }

  /**
   * A tombstone has IDs only: the filters of a list that cannot change, and the people who have seen the Session. The
   * version of its series is a part of the versions in the list of series.
   */
  private createTombstones(): void {
    this.addSql(`
      create table removed_session (
        clinic_id bigint not null references clinic,
        session_id bigint not null,
        series_id uuid not null,
        caregiver_id bigint not null,
        client_id bigint not null,
        design_plan_id bigint,
        version integer not null,
        series_version integer not null,
        removed_at timestamptz(3) not null,
        primary key (clinic_id, session_id)
      )`);
    this.addSql(`create index removed_session_removed on removed_session (clinic_id, removed_at, session_id)`);
    this.addSql(`create index removed_session_series on removed_session (clinic_id, series_id)`);
    for (const statement of enableTenantIsolation('removed_session', 'select')) this.addSql(statement);
  }

  private openToSystem(): void {
    for (const table of ['retention_setting', 'removed_session', 'homework'])
      this.addSql(`create policy system on ${table} to ${system} using (true)`);
    this.addSql(`grant select on retention_setting, homework to ${system}`);
    this.addSql(`grant insert on removed_session to ${system}`);
    this.addSql(`grant delete on ${DELETED_FROM.join(', ')} to ${system}`);
  }

  override down(): void {
    this.addSql(`revoke delete on ${DELETED_FROM.join(', ')} from ${system}`);
    this.addSql(`revoke select on homework from ${system}`);
    this.addSql(`drop policy system on homework`);
    this.addSql(`drop index session_series_created`);
    this.addSql(`drop table removed_session, retention_setting`);
  }
}
