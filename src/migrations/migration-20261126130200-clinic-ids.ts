import { Migration } from '@mikro-orm/migrations';
import { DATABASE_ROLES } from './tenant-table.js';

const { admin } = DATABASE_ROLES;

/**
 * Allows the service to take the ID of a new Clinic from its sequence, because it creates the data key of this ID before it
 * inserts the Clinic (ADR 17).
 */
export class Migration20261126130200ClinicIds extends Migration {
  override up(): void {
    this.addSql(`grant usage on sequence clinic_id_seq to ${admin}`);
  }

  override down(): void {
    this.addSql(`revoke usage on sequence clinic_id_seq from ${admin}`);
  }
}
