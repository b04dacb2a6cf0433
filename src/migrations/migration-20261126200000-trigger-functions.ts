import { Migration } from '@mikro-orm/migrations';

/** The trigger functions that run as the owner of the tables. */
const FUNCTIONS = [
  'add_opt_out_link()',
  'audit_unsealed_add()',
  ...['session', 'homework', 'reminder'].map((table) => `keep_removed_${table}_record()`),
].join(', ');

/**
 * Trigger functions that run as the owner cannot be called by other roles. A role that may create temporary tables could
 * otherwise use them as triggers of such a table, and so write rows that it must not write. The triggers of the existing
 * tables need no privilege.
 */
export class Migration20261126200000TriggerFunctions extends Migration {
  override up(): void {
    this.addSql(`revoke execute on function ${FUNCTIONS} from public`);
  }

  override down(): void {
    this.addSql(`grant execute on function ${FUNCTIONS} to public`);
  }
}
