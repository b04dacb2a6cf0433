import { Migration } from '@mikro-orm/migrations';

/** Adds a row, or sets its time. */
const HIDE = `
  on conflict (care_provider_id, session_id) do update set hidden_at = excluded.hidden_at`;
const SESSION = 'hidden_session_clinic_id_session_id_fkey';

/**
 * A Care Provider's tombstone of a Session that they may no longer see outlives the Session. Otherwise it would be
 * deleted when retention removes the Session, before the Care Provider's program has synchronised. The end of an assignment
 * also hides Sessions that retention has removed shortly before.
 */
export class Migration20261124230000HiddenSessions extends Migration {
  override up(): void {
    this.addSql(`alter table hidden_session drop constraint ${SESSION}`);
    this.hideSessionsOfFormerClient(`(
          select clinic_id, id, client_id, caregiver_id from session
          union all
          select clinic_id, session_id, client_id, caregiver_id from removed_session) as known`);
  }

  /** @param sessions the table from which the Sessions of the Client are selected */
  private hideSessionsOfFormerClient(sessions: string): void {
    this.addSql(`
      create or replace function hide_sessions_of_former_client() returns trigger language plpgsql as $$
      begin
        insert into hidden_session (clinic_id, care_provider_id, session_id, hidden_at)
        select clinic_id, old.care_provider_id, id, clock_timestamp() from ${sessions}
        where clinic_id = old.clinic_id and client_id = old.client_id and caregiver_id <> old.care_provider_id ${HIDE};
        return null;
      end $$`);
  }

  override down(): void {
    this.hideSessionsOfFormerClient('session');
    this.addSql(`
      delete from hidden_session where not exists (
        select from session where clinic_id = hidden_session.clinic_id and id = hidden_session.session_id)`);
    this.addSql(`
      alter table hidden_session add constraint ${SESSION}
        foreign key (clinic_id, session_id) references session (clinic_id, id) on delete cascade`);
  }
}
