import type pg from 'pg';
import type { LoadWorker } from './load-worker.js';

/**
 * One Clinic for each worker, with a Care Provider and a Client, who is assigned. All have the number of the worker as
 * id.
 */
export async function insertClinics(owner: pg.Client, count: number): Promise<void> {
  await owner.query(`
    insert into clinic (name, time_zone, active, created_at)
      select 'C', 'Europe/London', true, now() from generate_series(1, ${count});
    insert into care_provider (clinic_id, name, active, created_at)
      select n, 'P', true, now() from generate_series(1, ${count}) n order by n;
    insert into client (clinic_id, name, active, created_at)
      select n, 'K', true, now() from generate_series(1, ${count}) n order by n;
    insert into client_assignment (clinic_id, client_id, care_provider_id, assigned_at)
      select n, n, n, now() from generate_series(1, ${count}) n`);
}

/** The acknowledged writes that the database does not have, or not as they were acknowledged. */
export async function findLostWrites(owner: pg.Client, workers: readonly LoadWorker[]): Promise<string[]> {
  const clients = await readIds(owner, 'select id from client');
  const sessions = await readSessions(owner);
  return workers.flatMap((worker) => [
    ...worker.clientIds.filter((id) => !clients.has(id)).map((id) => `Client ${id}`),
    ...[...worker.sessions].flatMap(([title, acknowledged]) =>
      acknowledged
        .filter(({ id, version, time }) => sessions.get(id) !== `${title} ${version} ${time}`)
        .map(({ id, version, time }) => `Session ${id}: ${title} ${version} ${time}, found ${sessions.get(id)}`),
    ),
  ]);
}

/** The writes that were executed more than once: each name and each title belongs to one request. */
export async function findRepeatedWrites(owner: pg.Client): Promise<string[]> {
  const { rows } = await owner.query<{ repeated: string }>(`
    select 'Client ' || name as repeated from client where name <> 'K' group by name having count(*) > 1
    union all
    select 'series ' || title from session group by title having count(distinct series_id) > 1`);
  return rows.map(({ repeated }) => repeated);
}

async function readIds(owner: pg.Client, statement: string): Promise<Set<number>> {
  const { rows } = await owner.query<{ id: string }>(statement);
  return new Set(rows.map(({ id }) => Number(id)));
}

async function readSessions(owner: pg.Client): Promise<Map<number, string>> {
  const { rows } = await owner.query<{ id: string; session: string }>(
    `select id, title || ' ' || version || ' ' || left(planned_time::text, 5) as session from session`,
  );
  return new Map(rows.map(({ id, session }) => [Number(id), session]));
}
