import { MikroORM } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { jest } from '@jest/globals';
import { sql } from 'kysely';
import pg from 'pg';
import { eraseNextRows } from '../../src/erasure/run/row-eraser.js';
import { Scheduler } from '../../src/scheduler/index.js';
import { MAX_PLAN_AGE_MS } from '../../src/shared/persistence/driver/pipelined-client.js';
import { forkForActor } from '../../src/shared/persistence/index.js';
import { TestApp } from '../support/app/test-app.js';

/*
 * Tests that a connection does not keep the plans that PostgreSQL has made while the tables were almost empty. The
 * erasure of a Client has many statements, and no statistics of the tables change in between.
 */

const ROWS = 5_000;

let app: TestApp;
let owner: pg.Client;
beforeAll(async () => {
  app = await TestApp.start();
  await app.nest.get(Scheduler).stop();
  const { database } = app.environment;
  owner = new pg.Client({ connectionString: database.kind === 'postgresql' ? database.migrationUrl : '' });
  await owner.connect();
  // The Sessions refer to people and series that do not exist.
  await owner.query('set session_replication_role = replica');
});
afterAll(async () => {
  await owner.end();
  await app.stop();
});

/** Erases the rows of a Client. Returns the number of rows that were read by scans of whole tables. */
function erase(clinicId: number, id: number): Promise<number> {
  const em = forkForActor(app.nest.get(MikroORM).em, { role: 'SYSTEM' });
  return em.transactional(async (transaction) => {
    await eraseNextRows(transaction as SqlEntityManager, { kind: 'CLIENT', clinicId, id }, app.clock.now());
    const { rows } = await sql<{ scanned: number }>`
      select sum(seq_tup_read)::int as scanned from pg_stat_xact_user_tables
      where relname in ('session', 'homework', 'reminder')`.execute((transaction as SqlEntityManager).getKysely());
    return rows[0]!.scanned;
  });
}

async function insertSessions(clinicId: number): Promise<void> {
  await owner.query(
    `with series as (
       insert into session_series (id, clinic_id, caregiver_id, interval_days, reminders, created_at)
         select gen_random_uuid(), $1, 1, 7, '[]', now() from generate_series(1, $2::int) returning id
     ), added as (
       insert into session (clinic_id, series_id, position, caregiver_id, client_id, title, planned_date, planned_time,
           time_zone, duration_minutes, starts_at, ends_at, status, version, created_at, updated_at)
         select $1, id, 1, 1, 1000000 + row_number() over (), 'T', '2027-01-01', '10:00', 'UTC', 50, now(), now(),
           'SCHEDULED', 1, now(), now() from series returning id)
     insert into homework (clinic_id, session_id, book_id) select $1, id, 1 from added`,
    [clinicId, ROWS],
  );
}

it('plans all statements anew after a time, so that no table which has grown is scanned', async () => {
  const { clinicId } = await app.createClinic();
  await owner.query('vacuum analyze');
  for (let time = 0; time < 7; time += 1) expect(await erase(clinicId, 999_999)).toBe(0);
  await insertSessions(clinicId);
  const now = performance.now.bind(performance);
  jest.spyOn(performance, 'now').mockImplementation(() => now() + MAX_PLAN_AGE_MS);
  expect(await erase(clinicId, 1_000_001)).toBe(0);
});
