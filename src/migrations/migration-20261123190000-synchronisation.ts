import { Migration } from '@mikro-orm/migrations';
import { createPreparedIndexes } from './prepared-index.js';
import { toCallerIsolationStatements } from './tenant-table.js';

/** Adds a row for a Session that a Care Provider may no longer see, or sets its time. */
const HIDE = `
  on conflict (care_provider_id, session_id) do update set hidden_at = excluded.hidden_at`;

/**
 * Lets lists answer with changes since an instant. Adds an index by the time of the last change, that time for Design
 * Plans, and the Sessions that a Care Provider may no longer see. Triggers write these Sessions, so that they are complete
 * for every way in which a Session or an assignment changes, also by instances of the previous release.
 */
export class Migration20261123190000Synchronisation extends Migration {
  override up(): void {
    for (const statement of createPreparedIndexes('migration-20261123190000-synchronisation')) this.addSql(statement);
    this.addSql(`alter table design_plan add column updated_at timestamptz(3) not null default now()`);
    this.addSql(`create index design_plan_updated on design_plan (clinic_id, updated_at, id)`);
    this.trackPlansOfPreviousRelease();
    this.addSql(`
      create table hidden_session (
        clinic_id bigint not null,
        care_provider_id bigint not null,
        session_id bigint not null,
        hidden_at timestamptz(3) not null,
        primary key (care_provider_id, session_id),
        foreign key (clinic_id, care_provider_id) references care_provider (clinic_id, id),
        foreign key (clinic_id, session_id) references session (clinic_id, id) on delete cascade
      )`);
    this.addSql(`
      create index hidden_session_hidden on hidden_session (clinic_id, care_provider_id, hidden_at, session_id)`);
    for (const statement of toCallerIsolationStatements('hidden_session', 'select, insert, update'))
      this.addSql(statement);
    this.hideHandedOverSessions();
    this.hideSessionsOfFormerClients();
  }

  /** The previous release does not set the new column when it changes a plan. */
  private trackPlansOfPreviousRelease(): void {
    this.addSql(`
      create function set_design_plan_updated() returns trigger language plpgsql as $$
      begin
        new.updated_at := greatest(old.updated_at, clock_timestamp());
        return new;
      end $$`);
    this.addSql(`
      create trigger set_updated before update on design_plan for each row
        when (new.version <> old.version and new.updated_at = old.updated_at)
        execute function set_design_plan_updated()`);
  }

  private hideHandedOverSessions(): void {
    this.addSql(`
      create function hide_handed_over_session() returns trigger language plpgsql as $$
      begin
        insert into hidden_session (clinic_id, care_provider_id, session_id, hidden_at)
        values (old.clinic_id, old.caregiver_id, old.id, clock_timestamp()) ${HIDE};
        return null;
      end $$`);
    this.addSql(`
      create trigger hide_handed_over after update on session for each row
        when (new.caregiver_id <> old.caregiver_id) execute function hide_handed_over_session()`);
  }

  /** A Care Provider sees Sessions of colleagues with assigned Clients only. */
  private hideSessionsOfFormerClients(): void {
    this.addSql(`
      create function hide_sessions_of_former_client() returns trigger language plpgsql as $$
      begin
        insert into hidden_session (clinic_id, care_provider_id, session_id, hidden_at)
        select clinic_id, old.care_provider_id, id, clock_timestamp() from session
        where clinic_id = old.clinic_id and client_id = old.client_id and caregiver_id <> old.care_provider_id ${HIDE};
        return null;
      end $$`);
    this.addSql(`
      create trigger hide_sessions after delete or update of care_provider_id on client_assignment
        for each row execute function hide_sessions_of_former_client()`);
  }

  override down(): void {
    this.addSql(`drop trigger hide_sessions on client_assignment`);
    this.addSql(`drop function hide_sessions_of_former_client`);
    this.addSql(`drop trigger hide_handed_over on session`);
    this.addSql(`drop function hide_handed_over_session`);
    this.addSql(`drop table hidden_session`);
    this.addSql(`drop trigger set_updated on design_plan`);
    this.addSql(`drop function set_design_plan_updated`);
    this.addSql(`drop index design_plan_updated`);
    this.addSql(`alter table design_plan drop column updated_at`);
    this.addSql(`drop index session_updated`);
  }
}
