import { Migration } from '@mikro-orm/migrations';
import { createRole, DATABASE_ROLES, grantRoles } from './tenant-table.js';

const { service, admin, reminders, maintenance, audit, system, monitoring } = DATABASE_ROLES;
const [requestsLogin, remindersLogin, auditLogin, jobsLogin] = [
  'scheduling_app_requests',
  'scheduling_app_reminders',
  'scheduling_app_audit',
  'scheduling_app_jobs',
] as const;

/** The roles that each login can take on. */
const ACTS_AS = {
  [requestsLogin]: [service, admin, monitoring],
  [remindersLogin]: [reminders],
  [auditLogin]: [audit],
  [jobsLogin]: [system, maintenance],
};

/** The privileges of requests outside of transactions that set a role. These tables have no rows of a Clinic. */
const WITHOUT_ROLE = {
  revoked_token: 'select',
  schema_migration: 'select',
  zone_data: 'select',
  encryption_key_store: 'select, insert',
  rate_limit_count: 'select, insert, update, delete',
  instance: 'select, insert, update, delete',
};
const FUNCTIONS = 'current_clinic(), read_revoked_token_holders(xid8)';

/**
 * Logins with the privileges of one part of the service each: requests, reminders, the audit trail, and other jobs. Like
 * `scheduling_app`, which has all of these privileges, they have none by themselves on rows of a Clinic.
 */
export class Migration20261125110000Logins extends Migration {
  override up(): void {
    for (const [login, roles] of Object.entries(ACTS_AS)) {
      this.addSql(createRole(login));
      this.addSql(grantRoles(roles, login));
      this.addSql(`grant usage on schema public to ${login}`);
    }
    for (const [table, privileges] of Object.entries(WITHOUT_ROLE))
      this.addSql(`grant ${privileges} on ${table} to ${requestsLogin}`);
    this.addSql(`grant execute on function ${FUNCTIONS} to ${requestsLogin}`);
    // Requests must not be able to delete a revocation.
    this.addSql(`grant select (expires_at), delete on revoked_token to ${maintenance}`);
  }

  override down(): void {
    this.addSql(`revoke select (expires_at), delete on revoked_token from ${maintenance}`);
    this.addSql(`revoke execute on function ${FUNCTIONS} from ${requestsLogin}`);
    for (const table of Object.keys(WITHOUT_ROLE)) this.addSql(`revoke all on ${table} from ${requestsLogin}`);
    // Like the other roles, these are not dropped, because another database on the server may use them.
    for (const login of Object.keys(ACTS_AS)) this.addSql(`revoke usage on schema public from ${login}`);
  }
}
