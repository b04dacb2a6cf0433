import { Migration } from '@mikro-orm/migrations';

const PLACE = 'session_clinic_id_series_id_position_key';

/** Copies the Care Provider and `remindDays` of a series from its last Session, preferring those not cancelled. */
const fromSessions = (which = '') => `
  update session_series series set caregiver_id = last.caregiver_id, remind_days = last.remind_days
  from (
    select distinct on (clinic_id, series_id) clinic_id, series_id, caregiver_id, remind_days from session ${which}
    order by clinic_id, series_id, status = 'CANCELLED', starts_at desc, id desc
  ) last
  where series.clinic_id = last.clinic_id and series.id = last.series_id`;

/**
 * Each series has its own Care Provider and `remindDays`. Previously only its Sessions had them, so a revision had to
 * guess. Positions within a series are renumbered in one transaction, so their uniqueness is checked at commit.
 * `session.remind_days` is kept for instances of the previous release, which run alongside this one during an upgrade.
 */
export class Migration20261123120001SeriesRules extends Migration {
  override up(): void {
    this.addSql(`alter table session_series add column caregiver_id bigint, add column remind_days integer`);
    this.addSql(fromSessions());
    this.addSql(`
      alter table session_series
        add foreign key (clinic_id, caregiver_id) references care_provider (clinic_id, id)`);
    this.addSql(`
      alter table session
        drop constraint ${PLACE},
        add constraint ${PLACE} unique (clinic_id, series_id, position) deferrable initially deferred`);
    this.addSql(`
      create function complete_series() returns trigger language plpgsql as $$
      begin ${fromSessions('where clinic_id = new.clinic_id and series_id = new.id')}; return null; end $$`);
    // The previous release sets neither column. The trigger runs at commit, because the Sessions are written after the
    // series.
    this.addSql(`
      create constraint trigger complete_series after insert on session_series deferrable initially deferred
        for each row when (new.caregiver_id is null) execute function complete_series()`);
  }

  override down(): void {
    this.addSql(`drop trigger complete_series on session_series`);
    this.addSql(`drop function complete_series`);
    this.addSql(`
      alter table session
        drop constraint ${PLACE},
        add constraint ${PLACE} unique (clinic_id, series_id, position)`);
    this.addSql(`
      update session set remind_days = series.remind_days from session_series series
      where series.clinic_id = session.clinic_id and series.id = session.series_id
        and session.remind_days is distinct from series.remind_days`);
    this.addSql(`alter table session_series drop column caregiver_id, drop column remind_days`);
  }
}
