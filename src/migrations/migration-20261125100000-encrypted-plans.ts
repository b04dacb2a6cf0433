import { Migration } from '@mikro-orm/migrations';
import { DATABASE_ROLES } from './tenant-table.js';

/**
 * Allows the service to take the ID of a Design Plan from its sequence before it inserts the plan, because its encrypted
 * texts are bound to the ID (ADR 17). The index on encrypted names would find and sort nothing.
 */
export class Migration20261125100000EncryptedPlans extends Migration {
  override up(): void {
    this.addSql(`grant usage on sequence design_plan_id_seq to ${DATABASE_ROLES.service}`);
    this.addSql(`drop index design_plan_name`);
  }

  override down(): void {
    this.addSql(`create index design_plan_name on design_plan (clinic_id, plan_name, id)`);
    this.addSql(`revoke usage on sequence design_plan_id_seq from ${DATABASE_ROLES.service}`);
  }
}
