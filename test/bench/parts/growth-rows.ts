import { availableParallelism } from 'node:os';
import pg from 'pg';
import type { DiskReserve } from '../run/disk-reserve.js';
import { BOOKS, CARE_PROVIDERS, CLIENTS, SESSIONS_OF_SERIES } from '../run/seed.js';
import { formatRounded } from '../run/table.js';
import { createIndexes, dropSecondaryIndexes } from './growth-indexes.js';

/*
 * Inserts many Sessions, similar to those of the workloads. Each has only one Book and one reminder, so that tens of
 * millions fit on the disk.
 */

const GROWING_TABLES = ['session', 'reminder', 'homework', 'session_series'];
const SERIES_OF_CHUNK = 5_000;
/** A connection cleans up after so many of its chunks, while the new pages are still in the cache of the database. */
const CHUNKS_OF_VACUUM = 10;
/** Rows are inserted without the indexes if they multiply the table at least by this: it takes less time in total. */
const REBUILDS_INDEXES = 2;
const APPLICATION = 'bench-growth-fill';

/** Settings of the server that only a fill has, so that its log is not written to disk again and again. */
export const SETTINGS_OF_FILL: Readonly<Record<string, string>> = {
  autovacuum: 'off',
  checkpoint_timeout: '1h',
  full_page_writes: 'off',
  max_wal_size: '6GB',
};
/** Foreign keys are not checked and triggers do not run, because all references are known to be valid. */
const SETTINGS_OF_CONNECTION = `
  set session_replication_role = replica; set synchronous_commit = off; set jit = off; set work_mem = '256MB';
  set maintenance_work_mem = '1GB'; set max_parallel_maintenance_workers = 0`;

/** Sessions that there are, and those that there should be, of so many Clinics. */
export type GrowthRange = { from: number; to: number; clinics: number };

/**
 * Inserts Sessions until the database contains `to` of them, spread evenly over the Clinics.
 *
 * @param url of the owner of the database
 * @throws DiskSpaceError if the rows would not fit on the disk; some of them have been inserted then
 */
export async function fillSessions(
  owner: pg.Client,
  url: string,
  range: GrowthRange,
  reserve: DiskReserve,
  tell: (text: string, done: number, all: number) => void,
): Promise<void> {
  reserve.requireRoomFor(await estimateBytes(owner, range));
  const connections = await Promise.all(Array.from({ length: availableParallelism() }, () => connect(url)));
  const cancel = () =>
    owner.query('select pg_cancel_backend(pid) from pg_stat_activity where application_name = $1', [APPLICATION]);
  try {
    await reserve.watch(() => fill(owner, connections, range, tell), cancel);
  } finally {
    await Promise.all(connections.map((connection) => connection.end()));
  }
}

/** Estimates what the new rows need on the disk, from those that there are, and for the sort of the largest indexes. */
async function estimateBytes(owner: pg.Client, { from, to }: GrowthRange): Promise<number> {
  return ((await bytesOfSessions(owner)) / from) * (to - from) * 1.1;
}

/** The size of the tables whose number of rows grows with that of the Sessions, with their indexes. */
export async function bytesOfSessions(owner: pg.Client): Promise<number> {
  const { rows } = await owner.query<{ bytes: string }>(
    'select sum(pg_total_relation_size(name)) as bytes from unnest($1::regclass[]) name',
    [GROWING_TABLES],
  );
  return Number(rows[0]!.bytes);
}

async function connect(url: string): Promise<pg.Client> {
  const connection = new pg.Client({ connectionString: url, application_name: APPLICATION });
  connection.on('error', () => undefined);
  await connection.connect();
  await connection.query(SETTINGS_OF_CONNECTION);
  return connection;
}

async function fill(
  owner: pg.Client,
  connections: readonly pg.Client[],
  range: GrowthRange,
  tell: (text: string, done: number, all: number) => void,
): Promise<void> {
  const isRebuilt = range.to >= range.from * REBUILDS_INDEXES;
  const indexes = isRebuilt ? await dropSecondaryIndexes(owner, GROWING_TABLES) : [];
  const [first, last] = [range.from / SESSIONS_OF_SERIES, range.to / SESSIONS_OF_SERIES];
  let next = first;
  await Promise.all(
    connections.map(async (connection) => {
      for (let filled = 1; next < last; filled += 1) {
        const start = next;
        next = Math.min(last, next + SERIES_OF_CHUNK);
        tell(`series of ${formatRounded(range.to)} Sessions`, start - first, last - first);
        await connection.query(chunk(start, next - 1, range.clinics));
        if (filled % CHUNKS_OF_VACUUM === 0)
          await connection.query(`vacuum (skip_locked) ${GROWING_TABLES.join(', ')}`);
      }
    }),
  );
  await createIndexes(connections, indexes, (done) =>
    tell(`indexes of ${formatRounded(range.to)} Sessions`, done, indexes.length),
  );
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
