import { Migration } from '@mikro-orm/migrations';
import { DATABASE_ROLES } from './tenant-table.js';

const { system } = DATABASE_ROLES;
const ERASED = '[erased]';

/**
 * The job of erasures overwrites the reasons of accesses to the data of an erased Clinic. Without keys, or if they were
 * written without them, they were readable until now, also those of Clinics that were erased before.
 */
export class Migration20261125150000ErasedAccessReason extends Migration {
  override up(): void {
    this.addSql(`create policy erasure on administrator_access to ${system} using (true)`);
    // `enable_clinic_moves()` creates this policy only for tables that are new to it.
    this.addSql(`
      create policy not_moved on administrator_access as restrictive to ${system}
        using (coalesce(clinic_id, 0) <> all (array(select clinic_id from clinic_move)))`);
    this.addSql(`grant select (id, clinic_id, reason), update (reason) on administrator_access to ${system}`);
    this.addSql(`select set_config('app.clinic_move', 'on', true)`);
    this.addSql(`
      update administrator_access set reason = '${ERASED}' from clinic
      where clinic.id = administrator_access.clinic_id and clinic.erased_at is not null`);
    this.addSql(`select set_config('app.clinic_move', '', true)`);
  }

  override down(): void {
    this.addSql(`
      revoke select (id, clinic_id, reason), update (reason) on administrator_access from ${system}`);
    this.addSql(`drop policy if exists not_moved on administrator_access`);
    this.addSql(`drop policy erasure on administrator_access`);
  }
}
