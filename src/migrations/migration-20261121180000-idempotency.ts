import { Migration } from '@mikro-orm/migrations';
import {
  createRole,
  DATABASE_ROLES,
  allowServiceToActAs,
  disableTenantIsolation,
  toCallerIsolationStatements,
} from './tenant-table.js';

const { admin, maintenance } = DATABASE_ROLES;

const OWN_ANSWERS = `caller = (select current_setting('app.caller', true))`;
const RIGHTS = 'select, insert, update';

/** Responses to requests with an `Idempotency-Key`. Each row is visible only to its caller, not to the whole Clinic. */
export class Migration20261121180000Idempotency extends Migration {
  override up(): void {
    this.addSql(`
      create table idempotency_key (
        id text primary key,
        caller text not null,
        fingerprint text not null,
        answer bytea not null,
        expires_at timestamptz(3) not null
      )`);
    this.addSql(`create index idempotency_key_expires_at on idempotency_key (expires_at)`);
    for (const statement of toCallerIsolationStatements('idempotency_key', RIGHTS, OWN_ANSWERS)) this.addSql(statement);
    this.addSql(`create policy administrator on idempotency_key to ${admin} using (${OWN_ANSWERS})`);
    this.addSql(`grant ${RIGHTS} on idempotency_key to ${admin}`);
    this.openToMaintenance();
  }

  /** Lets the maintenance role delete expired rows, but not read responses. */
  private openToMaintenance(): void {
    this.addSql(createRole(maintenance));
    this.addSql(allowServiceToActAs(maintenance));
    this.addSql(`grant usage on schema public to ${maintenance}`);
    this.addSql(`create policy expired on idempotency_key to ${maintenance} using (expires_at <= now())`);
    this.addSql(`grant select (id, expires_at), delete on idempotency_key to ${maintenance}`);
  }

  override down(): void {
    this.addSql(`drop policy expired on idempotency_key`);
    this.addSql(`drop policy administrator on idempotency_key`);
    for (const statement of disableTenantIsolation('idempotency_key')) this.addSql(statement);
    this.addSql(`drop table idempotency_key`);
    // Like the roles of the migration "isolation", this role is not dropped.
    this.addSql(`revoke usage on schema public from ${maintenance}`);
  }
}
