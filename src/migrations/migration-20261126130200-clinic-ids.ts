import { Migration } from '@mikro-orm/migrations';
import { DATABASE_ROLES } from './tenant-table.js';

const { admin } = DATABASE_ROLES;

/**
 * What the data key of a new Clinic needs (ADR 17): the service takes the ID of a Clinic from its sequence, and creates
 * the key of this ID before it inserts the Clinic.
 */
export class Migration20261126130200ClinicIds extends Migration {
  override up(): void {
    this.addSql(`grant usage on sequence clinic_id_seq to ${admin}`);
  }

  override down(): void {
    this.addSql(`revoke usage on sequence clinic_id_seq from ${admin}`);
  }
}
