import { Migration } from '@mikro-orm/migrations';
import { createRole, DATABASE_ROLES, allowServiceToActAs } from './tenant-table.js';

const { login, system } = DATABASE_ROLES;

/** The privileges needed to recompute instants when the time zone data changes. */
const RIGHTS = {
  session: 'select, update',
  /** UPDATE is needed to lock the series, so that other transactions cannot change its Sessions. */
  session_series: 'select, update',
  reminder: 'select, update',
  /** Contain the quiet hours and time zones of recipients. */
  ...{ reminder_preference: 'select', clinic: 'select', client: 'select', care_provider: 'select' },
};
/** The columns written for the audit entry of a recomputation. */
const WRITTEN = 'clinic_id, at, actor_role, access, operation, records, record_count, request_id, address, outcome';

/** Versions of time zone data with which instants were computed. The newest row is in use. Rows belong to no Clinic. */
export class Migration20261123140001ZoneData extends Migration {
  override up(): void {
    this.addSql(`
      create table zone_data (
        id bigint generated always as identity primary key,
        version text not null,
        previous text,
        started_at timestamptz(3) not null,
        next_session_id bigint not null default 0,
        repeat_after timestamptz(3),
        finished_at timestamptz(3),
        sessions integer not null default 0,
        reminders integer not null default 0
      )`);
    this.addSql(createRole(system));
    this.addSql(allowServiceToActAs(system));
    this.addSql(`grant usage on schema public to ${system}`);
    this.addSql(`grant select on zone_data to ${login}`);
    this.addSql(`grant select, insert, update on zone_data to ${system}`);
    for (const [table, rights] of Object.entries(RIGHTS)) {
      this.addSql(`create policy system on ${table} to ${system} using (true)`);
      this.addSql(`grant ${rights} on ${table} to ${system}`);
    }
    this.addSql(`create policy system on audit_entry for insert to ${system} with check (actor_role = 'SYSTEM')`);
    this.addSql(`grant insert (${WRITTEN}) on audit_entry to ${system}`);
  }

  override down(): void {
    this.addSql(`drop policy system on audit_entry`);
    this.addSql(`revoke insert (${WRITTEN}) on audit_entry from ${system}`);
    for (const table of Object.keys(RIGHTS)) {
      this.addSql(`drop policy system on ${table}`);
      this.addSql(`revoke all on ${table} from ${system}`);
    }
    this.addSql(`drop table zone_data`);
    // Like the other roles, this role is not dropped, because another database on the server may use it.
    this.addSql(`revoke usage on schema public from ${system}`);
  }
}
