import { Migration } from '@mikro-orm/migrations';

/**
 * A notice to a Care Provider outlives the Session that it is about, which an erasure deletes. So its row refers to no
 * Session, and its rule has the ID of the Session. The constraint is not validated, because that would read all rows.
 */
export class Migration20261125130000ErasureNotice extends Migration {
  override up(): void {
    this.addSql(`
      alter table reminder alter column session_id drop not null,
        add constraint reminder_session_or_notice
          check (session_id is not null or rule->>'kind' = 'SESSION_ERASED') not valid`);
  }

  override down(): void {
    // Notices of a Clinic that has moved are deleted, too.
    this.addSql(`select set_config('app.clinic_move', 'on', true)`);
    this.addSql(`delete from reminder where session_id is null`);
    this.addSql(`select set_config('app.clinic_move', '', true)`);
    this.addSql(`
      alter table reminder drop constraint reminder_session_or_notice, alter column session_id set not null`);
  }
}
