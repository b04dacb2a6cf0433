import type pg from 'pg';
import { recordZoneData } from '../run/seed.js';

const CHUNK = 100_000;
const SERIES = '019abcde-0000-7000-8000-000000000000';

/**
 * Inserts one Clinic (1) with one Care Provider (1), and Clients with one Session each. All of them have stored
 * preferences, so that deliveries only create opt-out links, with one statement per batch.
 */
export async function insertPeople(owner: pg.Client, clients: number): Promise<void> {
  await owner.query(`
    insert into clinic (name, time_zone, active, created_at) values ('C', 'Europe/London', true, now());
    insert into care_provider (clinic_id, name, active, created_at) values (1, 'P', true, now());
    insert into client (clinic_id, name, active, created_at)
      select 1, 'K', true, now() from generate_series(1, ${clients});
    insert into reminder_preference (clinic_id, owner_kind, owner_id, no_quiet_hours, opted_out, revealing, opt_out_token,
        updated_at)
      select 1, 'CLIENT', n, false, '[]', false, 'hashed:CLIENT:' || n, now() from generate_series(1, ${clients}) n;
    insert into session_series (id, clinic_id, caregiver_id, interval_days, reminders, created_at)
      values ('${SERIES}', 1, 1, 7, '[]', now());
    insert into session (clinic_id, series_id, position, caregiver_id, client_id, title, planned_date, planned_time,
        time_zone, duration_minutes, starts_at, ends_at, status, version, created_at, updated_at)
      select 1, '${SERIES}', n, 1, n, 'T', to_char(start at time zone 'Europe/London', 'YYYY-MM-DD'),
        to_char(start at time zone 'Europe/London', 'HH24:MI'), 'Europe/London', 50, start, start + interval '50 minutes',
        'SCHEDULED', 1, now(), now()
      from generate_series(1, ${clients}) n, lateral (select '2027-01-01T10:00Z'::timestamptz + n * interval '1 hour') s (start)`);
  await recordZoneData(owner);
}

/**
 * Inserts reminders with these IDs, for the people in turn. Indexes are kept up to date, as in a table that has grown;
 * foreign keys are not checked.
 *
 * @param sendAt an SQL expression for the send time
 */
export async function fillReminders(
  owner: pg.Client,
  { from, to, people, sendAt }: { from: number; to: number; people: number; sendAt: string },
  tell: (done: number) => void,
): Promise<void> {
  await owner.query('set session_replication_role = replica');
  for (let start = from; start <= to; start += CHUNK) {
    const end = Math.min(to, start + CHUNK - 1);
    tell(start - 1);
    await owner.query(`
      insert into reminder (clinic_id, session_id, caregiver_id, recipient_kind, recipient_id, rule, due_at, send_at,
          status, story, created_at)
        select 1, person, 1, 'CLIENT', person, '{"kind":"REMIND_DAYS","days":7}', due, due, 'PENDING', '[]', now()
        from generate_series(${start}, ${end}) n, lateral (
          select (n - 1) % ${people} + 1 as person, ${sendAt} + n * interval '1 second' as due) l`);
  }
  await owner.query('set session_replication_role = origin');
}
