import { Migration } from '@mikro-orm/migrations';
import { ADD_ERASED_SESSION } from './online-preparations.js';
import { createPreparedIndexes } from './prepared-index.js';

/**
 * The Session of a notice of an erasure, which was a part of the notice's rule. Row-level security lets PostgreSQL use no
 * index on an expression of the rule, so it has a column, by which the notices about a Session are found. The constraint
 * is not validated, because that would read all rows.
 */
export class Migration20261125140000ErasedSession extends Migration {
  override up(): void {
    for (const statement of ADD_ERASED_SESSION) this.addSql(statement);
    this.addSql(`
      alter table reminder drop constraint reminder_session_or_notice, add constraint reminder_session_or_erased_session
        check (num_nonnulls(session_id, erased_session_id) = 1) not valid`);
    this.changeNotices(`erased_session_id = (rule->>'sessionId')::bigint, rule = rule - 'sessionId'`);
    for (const statement of createPreparedIndexes('migration-20261125140000-erased-session')) this.addSql(statement);
  }

  override down(): void {
    this.addSql(`
      alter table reminder drop constraint reminder_session_or_erased_session, add constraint reminder_session_or_notice
        check (session_id is not null or rule->>'kind' = 'SESSION_ERASED') not valid`);
    this.changeNotices(`rule = rule || jsonb_build_object('sessionId', erased_session_id)`);
    this.addSql(`alter table reminder drop column erased_session_id`);
  }

  /** Finds the notices by the index of Sessions, which begins with the Clinic. Those of a Clinic that has moved change, too. */
  private changeNotices(set: string): void {
    this.addSql(`select set_config('app.clinic_move', 'on', true)`);
    this.addSql(`
      update reminder set ${set} from clinic where reminder.clinic_id = clinic.id and reminder.session_id is null`);
    this.addSql(`select set_config('app.clinic_move', '', true)`);
  }
}
