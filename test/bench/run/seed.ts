import type pg from 'pg';

/*
 * Creates the rows that exist before a measurement. IDs are assigned in blocks, so that the workloads can compute them:
 * each Clinic has the next CARE_PROVIDERS Care Providers, CLIENTS Clients and PLANS plans.
 */

export const CARE_PROVIDERS = 10;
export const CLIENTS = 40;
export const PLANS = 10;
export const BOOKS = 60;
export const SESSIONS_OF_SERIES = 10;
const BOOKS_OF_SESSION = 3;

/** Some Clinics that each have the given number of Sessions. */
export type ClinicBlock = { clinics: number; sessions: number };

/** Fills an empty database. Foreign keys are not checked, because all references are known to be valid. */
export async function seedDatabase(owner: pg.Client, blocks: readonly ClinicBlock[]): Promise<void> {
  const clinics = blocks.reduce((sum, block) => sum + block.clinics, 0);
  await owner.query('begin');
  await owner.query(`set local session_replication_role = replica`);
  await owner.query(directory(clinics));
  await owner.query(plans(clinics));
  let first = 1;
  for (const block of blocks) {
    if (block.sessions > 0) await owner.query(sessions(first, block));
    first += block.clinics;
  }
  await owner.query(homeworkAndReminders);
  await recordZoneData(owner);
  for (const table of ['clinic', 'care_provider', 'client', 'book', 'design_plan'])
    await owner.query(`select setval(pg_get_serial_sequence('${table}', 'id'), (select max(id) from ${table}))`);
  await owner.query('commit');
}

/**
 * Records the zone data version, as in a database that is in use. Without it, the service computes the times of all
 * Sessions when it starts.
 */
export async function recordZoneData(owner: pg.Client): Promise<void> {
  const statement = 'insert into zone_data (version, started_at, finished_at) values ($1, now(), now())';
  await owner.query(statement, [process.versions.tz]);
}

const directory = (clinics: number) => `
  insert into clinic (id, name, time_zone, active, created_at)
    select c, 'Clinic ' || c, 'Europe/London', true, now() from generate_series(1, ${clinics}) c;
  insert into care_provider (id, clinic_id, name, active, created_at)
    select p, (p - 1) / ${CARE_PROVIDERS} + 1, 'P', true, now() from generate_series(1, ${clinics * CARE_PROVIDERS}) p;
  insert into client (id, clinic_id, name, active, created_at)
    select k, (k - 1) / ${CLIENTS} + 1, 'K', true, now() from generate_series(1, ${clinics * CLIENTS}) k;
  insert into client_assignment (clinic_id, client_id, care_provider_id, assigned_at)
    select clinic_id, id, (clinic_id - 1) * ${CARE_PROVIDERS} + (id - 1) % ${CARE_PROVIDERS} + 1, now() from client;
  insert into book (id, clinic_id, title, active, created_at)
    select b, null, 'Book ' || b, true, now() from generate_series(1, ${BOOKS}) b`;

/** Plans of eight weeks, with three Books and two reminders each, as in the requests of the workloads. */
const plans = (clinics: number) => `
  insert into design_plan (id, clinic_id, plan_name, created_date, appointment_title, weeks)
    select (c - 1) * ${PLANS} + p, c, 'Plan ' || p, now(), 'Sleep session', (
      select jsonb_agg(jsonb_build_object('name', 'Week ' || w, 'ordering', w, 'assignments', (
        select jsonb_agg(jsonb_build_object('bookId', (w * 3 + a) % ${BOOKS} + 1, 'assignReminds',
          '[{"reminderDay": 2, "time": "09:30"}, {"reminderDay": 5, "time": "20:00"}]'::jsonb))
        from generate_series(1, 3) a)) order by w) from generate_series(1, 8) w)
    from generate_series(1, ${clinics}) c, generate_series(1, ${PLANS}) p`;

/**
 * Weekly series of ten Sessions, spread over twenty years. Each belongs to one Care Provider and one of their Clients.
 */
const sessions = (first: number, { clinics, sessions }: ClinicBlock) => `
  create temporary table new_series on commit drop as
    select gen_random_uuid() as id, c as clinic_id, s,
      (c - 1) * ${CARE_PROVIDERS} + s % ${CARE_PROVIDERS} + 1 as caregiver_id,
      (c - 1) * ${CLIENTS} + (s % ${CARE_PROVIDERS}) + ((s / ${CARE_PROVIDERS}) % ${CLIENTS / CARE_PROVIDERS}) * ${CARE_PROVIDERS} + 1 as client_id,
      date '2027-01-04' + (hashint4(s + c * 7919)::bigint & 7000)::int as day,
      time '08:00' + (hashint4(s * 31 + c)::bigint & 31) * interval '20 minutes' as time
    from generate_series(${first}, ${first + clinics - 1}) c, generate_series(0, ${Math.ceil(sessions / SESSIONS_OF_SERIES) - 1}) s;
  insert into session_series (id, clinic_id, caregiver_id, interval_days, reminders, created_at)
    select id, clinic_id, caregiver_id, 7, '["-P1D"]', now() from new_series;
  insert into session (clinic_id, series_id, position, caregiver_id, client_id, title, planned_date, planned_time,
      time_zone, duration_minutes, starts_at, ends_at, status, version, created_at, updated_at)
    select clinic_id, id, n, caregiver_id, client_id, 'Sleep session', to_char(day + (n - 1) * 7, 'YYYY-MM-DD'),
      to_char(time, 'HH24:MI'), 'Europe/London', 50, local at time zone 'Europe/London',
      local at time zone 'Europe/London' + interval '50 minutes', 'SCHEDULED', 1, now(), now()
    from new_series, generate_series(1, ${SESSIONS_OF_SERIES}) n, lateral (select day + (n - 1) * 7 + time as local) l;
  drop table new_series`;

const homeworkAndReminders = `
  insert into homework (clinic_id, session_id, book_id)
    select clinic_id, id, (id + b * 7) % ${BOOKS} + 1 from session, generate_series(1, ${BOOKS_OF_SESSION}) b;
  insert into reminder (clinic_id, session_id, caregiver_id, recipient_kind, recipient_id, rule, due_at, send_at, not_after,
      status, story, created_at)
    select clinic_id, id, caregiver_id, kind, case kind when 'CLIENT' then client_id else caregiver_id end,
      '{"kind":"AROUND_START","offset":"-P1D"}', due, due, starts_at, 'PENDING', '[]', created_at
    from session, unnest(array['CLIENT', 'CARE_PROVIDER']) kind, 
      lateral (select (starts_at at time zone time_zone - interval '1 day') at time zone time_zone as due) d`;
