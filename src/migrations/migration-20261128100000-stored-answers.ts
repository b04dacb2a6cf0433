import { Migration } from '@mikro-orm/migrations';
import { DATABASE_ROLES, TRANSACTION_CLINIC } from './tenant-table.js';

const { service } = DATABASE_ROLES;
const FUNCTION = 'delete_stored_answers(text[])';

/**
 * The confirmation of an erasure deletes the stored answers that name records of the person. Most are answers to other
 * callers of the Clinic, which the caller cannot see, so a function of the owner deletes them. It finds those of the
 * Clinic by the name that a trigger adds. A locked row is skipped: the job of erasures deletes it.
 */
export class Migration20261128100000StoredAnswers extends Migration {
  override up(): void {
    this.addSql(`
      create function ${FUNCTION} returns void
        language sql security definer set search_path = public, pg_temp as $$
        delete from idempotency_key where id in (
          select id from idempotency_key
          where records && $1 and records @> array['clinic/' || ${TRANSACTION_CLINIC}]
            and not exists (select from unnest(records) name where name like 'erasure/%')
          for update skip locked) $$`);
    this.addSql(`revoke all on function ${FUNCTION} from public`);
    this.addSql(`grant execute on function ${FUNCTION} to ${service}`);
  }

  override down(): void {
    this.addSql(`drop function ${FUNCTION}`);
  }
}
