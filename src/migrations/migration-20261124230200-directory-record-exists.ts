import { Migration } from '@mikro-orm/migrations';
import { DATABASE_ROLES } from './tenant-table.js';

const { admin } = DATABASE_ROLES;

/**
 * Lets administrators find out whether a directory record exists, so that the revocation of its tokens cannot name a wrong
 * one. They cannot read the tables of people.
 */
export class Migration20261124230200DirectoryRecordExists extends Migration {
  override up(): void {
    this.addSql(`
      create function directory_record_exists(role text, id bigint) returns boolean
        language sql stable security definer set search_path = public, pg_temp as $$
        select case directory_record_exists.role
          when 'CLINIC' then exists (select from clinic c where c.id = directory_record_exists.id)
          when 'CARE_PROVIDER' then exists (select from care_provider p where p.id = directory_record_exists.id)
          when 'CLIENT' then exists (select from client k where k.id = directory_record_exists.id)
          else false
        end $$`);
    this.addSql(`revoke all on function directory_record_exists(text, bigint) from public`);
    this.addSql(`grant execute on function directory_record_exists(text, bigint) to ${admin}`);
  }

  override down(): void {
    this.addSql(`drop function directory_record_exists(text, bigint)`);
  }
}
