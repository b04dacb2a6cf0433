import type pg from 'pg';
import { BOOKS, CARE_PROVIDERS, CLIENTS, SESSIONS_OF_SERIES } from '../run/seed.js';

/*
 * Inserts many Sessions, similar to those of the workloads. Each has only one Book and one reminder, so that ten
 * million fit on the disk.
 */

const SERIES_OF_CHUNK = 5_000;

/**
 * Inserts Sessions until the database contains `to` of them, spread evenly over the Clinics. Indexes are kept up to
 * date.
 */
export async function fillSessions(
  owner: pg.Client,
  { from, to, clinics }: { from: number; to: number; clinics: number },
  tell: (done: number) => void,
): Promise<void> {
  await owner.query('set session_replication_role = replica');
  const [first, last] = [from / SESSIONS_OF_SERIES, to / SESSIONS_OF_SERIES];
  for (let start = first; start < last; start += SERIES_OF_CHUNK) {
    tell(start * SESSIONS_OF_SERIES);
    await owner.query(chunk(start, Math.min(last, start + SERIES_OF_CHUNK) - 1, clinics));
  }
  await owner.query('set session_replication_role = origin');
}

/** Sessions are assigned to the Clinics in turn, and within a Clinic to its Care Providers in turn. */
const chunk = (first: number, last: number, clinics: number) => `
  with new_series as materialized (
    select gen_random_uuid() as id, c as clinic_id, (c - 1) * ${CARE_PROVIDERS} + k % ${CARE_PROVIDERS} + 1 as caregiver_id,
      (c - 1) * ${CLIENTS} + k % ${CARE_PROVIDERS} + ((k / ${CARE_PROVIDERS}) % ${CLIENTS / CARE_PROVIDERS}) * ${CARE_PROVIDERS} + 1
        as client_id,
      date '2027-01-04' + (hashint4(s) & 4095) + (hashint4(s + 1) & 2047) as day,
      time '08:00' + (hashint4(s * 31) & 31) * interval '20 minutes' as time
    from generate_series(${first}, ${last}) s, lateral (select s % ${clinics} + 1 as c, s / ${clinics} as k) place
  ), made_series as (
    insert into session_series (id, clinic_id, caregiver_id, interval_days, reminders, created_at)
      select id, clinic_id, caregiver_id, 7, '["-P1D"]', now() from new_series
  ), made as (
    insert into session (clinic_id, series_id, position, caregiver_id, client_id, title, planned_date, planned_time,
        time_zone, duration_minutes, starts_at, ends_at, status, version, created_at, updated_at)
      select clinic_id, id, n, caregiver_id, client_id, 'Sleep session', to_char(day + (n - 1) * 7, 'YYYY-MM-DD'),
        to_char(time, 'HH24:MI'), 'Europe/London', 50, local at time zone 'Europe/London',
        local at time zone 'Europe/London' + interval '50 minutes', 'SCHEDULED', 1, now(), now()
      from new_series, generate_series(1, ${SESSIONS_OF_SERIES}) n,
        lateral (select day + (n - 1) * 7 + time as local) l
      returning id, clinic_id, caregiver_id, client_id, starts_at, created_at
  ), given as (
    insert into homework (clinic_id, session_id, book_id) select clinic_id, id, id % ${BOOKS} + 1 from made
  )
  insert into reminder (clinic_id, session_id, caregiver_id, recipient_kind, recipient_id, rule, due_at, send_at, not_after,
      status, story, created_at)
    select clinic_id, id, caregiver_id, 'CLIENT', client_id, '{"kind":"AROUND_START","offset":"-P1D"}',
      starts_at - interval '1 day', starts_at - interval '1 day', starts_at, 'PENDING', '[]', created_at
    from made`;
