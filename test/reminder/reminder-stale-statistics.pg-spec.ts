import { MikroORM } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import pg from 'pg';
import { claimDueReminders } from '../../src/reminder/dispatch/due-reminder-claim.js';
import { Scheduler } from '../../src/scheduler/index.js';
import { forkForActor } from '../../src/shared/persistence/index.js';
import { TestApp } from '../support/app/test-app.js';

/*
 * Tests the search for due reminders with planner statistics from a time at which no reminder was pending. PostgreSQL
 * then expects one row at most, and any plan seems to be equally good. Each test has a database of its own, because the
 * size of the indexes counts too.
 */

const DUE = 2_000;
const LIMITS = { rows: 500, scan: 5_000, reminders: 2_000 };

let app: TestApp;
let client: pg.Client;
beforeEach(async () => {
  app = await TestApp.start();
  await app.nest.get(Scheduler).stop();
  const { database } = app.environment;
  client = new pg.Client({ connectionString: database.kind === 'postgresql' ? database.migrationUrl : '' });
  await client.connect();
  // The reminders refer to a Session and to people that do not exist.
  await client.query('set session_replication_role = replica');
});
afterEach(async () => {
  await client.end();
  await app.stop();
});

/** Inserts reminders of different recipients that are due now. */
async function insertReminders(clinicId: number, status: string): Promise<void> {
  await client.query(
    `insert into reminder (clinic_id, session_id, caregiver_id, recipient_kind, recipient_id, rule, due_at, send_at, status,
        story, created_at)
      select $1, 1, 1, 'CLIENT', 1000000 + n, '{"kind":"REMIND_DAYS","days":7}', $3::timestamptz, $3::timestamptz, $4, '[]',
        now() from generate_series(1, $2::int) n`,
    [clinicId, DUE, app.clock.now().toString(), status],
  );
}

/** Claims due reminders as the dispatcher does. Returns their number, and how often an index of reminders was searched. */
function claim(): Promise<{ claimed: number; searches: number }> {
  const em = forkForActor(app.nest.get(MikroORM).em, { role: 'REMINDERS', clinicId: undefined });
  return em.transactional(async (transaction) => {
    const { reminders } = await claimDueReminders(transaction as SqlEntityManager, app.clock.now(), LIMITS, []);
    const { rows } = await sql<{ searches: number }>`
      select idx_scan::int as searches from pg_stat_xact_user_tables where relname = 'reminder'`.execute(
      (transaction as SqlEntityManager).getKysely(),
    );
    return { claimed: reminders.length, searches: rows[0]!.searches };
  });
}

it.each([
  [
    'say that none is pending',
    async (clinicId: number) => {
      await insertReminders(clinicId, 'SENT');
      await client.query('analyze reminder');
    },
  ],
  ['are those of an empty table', () => client.query('vacuum reminder')],
])('searches the reminders of each recipient by an index, although the statistics %s', async (_, makeStatistics) => {
  const { clinicId } = await app.createClinic();
  await makeStatistics(clinicId);
  // The statement is prepared while nothing is due.
  for (let time = 0; time < 7; time += 1) expect((await claim()).claimed).toBe(0);
  await insertReminders(clinicId, 'PENDING');
  const { claimed, searches } = await claim();
  expect(claimed).toBe(LIMITS.rows);
  // Otherwise, all pending reminders would be compared with all recipients.
  expect(searches).toBeGreaterThanOrEqual(claimed);
});
