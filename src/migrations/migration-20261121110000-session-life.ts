import { Migration } from '@mikro-orm/migrations';

/**
 * Adds rows for series; statuses, durations and versions of Sessions; homework completion; homework reminders; and
 * withdrawn reminders.
 */
export class Migration20261121110000SessionLife extends Migration {
  override up(): void {
    this.createSeries();
    this.changeSession();
    this.addSql(`
      alter table homework
        add column completed_at timestamptz(3),
        add unique (clinic_id, id)`);
    this.addSql(`
      alter table reminder
        add column homework_id bigint,
        add column reason text,
        drop constraint reminder_status_check,
        add constraint reminder_status_check check (status in ('PENDING', 'QUEUED', 'SENT', 'DEAD', 'WITHDRAWN')),
        add foreign key (clinic_id, homework_id) references homework (clinic_id, id) on delete set null (homework_id)`);
    this.addSql(`
      create index reminder_recipient on reminder (clinic_id, recipient_kind, recipient_id)
        where status in ('PENDING', 'QUEUED')`);
    this.addSql(`create index reminder_homework on reminder (clinic_id, homework_id) where homework_id is not null`);
  }

  private createSeries(): void {
    // Frees the name `session_series`: in PostgreSQL, tables and indexes share a namespace.
    this.addSql(`alter index session_series rename to session_by_series`);
    this.addSql(`
      create table session_series (
        id uuid primary key,
        clinic_id bigint not null references clinic,
        design_plan_id bigint,
        revision integer,
        from_week integer,
        to_week integer,
        interval_days integer not null,
        reminders jsonb not null,
        paused_at timestamptz(3),
        created_at timestamptz(3) not null,
        unique (clinic_id, id),
        foreign key (clinic_id, design_plan_id) references design_plan (clinic_id, id)
      )`);
    // Previously, series had no rows. The interval is computed from the first two Sessions.
    this.addSql(`
      insert into session_series (id, clinic_id, design_plan_id, interval_days, reminders, created_at)
      select series_id, min(clinic_id), min(design_plan_id),
        coalesce((array_agg(planned_date::date order by planned_date))[2] - min(planned_date::date), 7), '[]', min(created_at)
      from session group by series_id`);
  }

  private changeSession(): void {
    this.addSql(`
      alter table session
        add column position integer,
        add column plan_week integer,
        add column duration_minutes integer not null default 50,
        add column ends_at timestamptz(3),
        add column version integer not null default 1,
        add column status_changed_at timestamptz(3),
        add column updated_at timestamptz(3),
        add column cancel_reason text,
        add column cancel_note text,
        drop constraint session_status_check,
        add constraint session_status_check
          check (status in ('SCHEDULED', 'PAUSED', 'COMPLETED', 'NO_SHOW', 'CANCELLED')),
        add foreign key (clinic_id, series_id) references session_series (clinic_id, id)`);
    this.addSql(`
      update session set ends_at = starts_at + interval '50 minutes', updated_at = created_at, position = place.position
      from (select id, row_number() over (partition by series_id order by starts_at, id) as position from session) place
      where place.id = session.id`);
    this.addSql(`
      alter table session
        alter column position set not null,
        alter column ends_at set not null,
        alter column updated_at set not null,
        alter column duration_minutes drop default,
        alter column version drop default,
        add unique (clinic_id, series_id, position)`);
    this.addSql(`create index session_start on session (clinic_id, starts_at, id)`);
  }

  override down(): void {
    this.addSql(`delete from reminder where status = 'WITHDRAWN' or homework_id is not null`);
    this.addSql(`drop index reminder_homework`);
    this.addSql(`drop index reminder_recipient`);
    this.addSql(`
      alter table reminder
        drop column homework_id,
        drop column reason,
        drop constraint reminder_status_check,
        add constraint reminder_status_check check (status in ('PENDING', 'QUEUED', 'SENT', 'DEAD'))`);
    this.addSql(`alter table homework drop column completed_at, drop constraint homework_clinic_id_id_key`);
    this.addSql(`drop index session_start`);
    this.addSql(`update session set status = 'SCHEDULED'`);
    this.addSql(`
      alter table session
        drop constraint session_clinic_id_series_id_fkey,
        drop column position,
        drop column plan_week,
        drop column duration_minutes,
        drop column ends_at,
        drop column version,
        drop column status_changed_at,
        drop column updated_at,
        drop column cancel_reason,
        drop column cancel_note,
        drop constraint session_status_check,
        add constraint session_status_check check (status in ('SCHEDULED'))`);
    this.addSql(`drop table session_series`);
    this.addSql(`alter index session_by_series rename to session_series`);
  }
}
