import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { ReminderDispatcher } from '../../src/reminder/index.js';
import { TestApp } from '../support/app/test-app.js';

/*
 * Tests the situation after an outage: many reminders are due at once, and the planner statistics of PostgreSQL do not
 * show it yet.
 */

const DUE = 2_000;
/** With this many reminders per recipient, the planner would prefer to combine both indexes. */
const REMINDERS_PER_RECIPIENT = 20;
/** The number of rows that one transaction claims (src/reminder/dispatch/reminder.dispatcher.ts). */
const MAX_CLAIMED_ROWS = 500;

let app: TestApp;
let client: pg.Client;
beforeAll(async () => {
  app = await TestApp.start();
  const { database } = app.environment;
  client = new pg.Client({ connectionString: database.kind === 'postgresql' ? database.migrationUrl : '' });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await app.stop();
});

it('claims a backlog at the same cost for each reminder as single reminders', async () => {
  const { clinicId } = await app.createClinic();
  await client.query('set session_replication_role = replica');
  await client.query(
    `insert into reminder (clinic_id, session_id, caregiver_id, recipient_kind, recipient_id, rule, due_at, send_at, status,
        story, created_at)
      select $1, 1, 1, 'CLIENT', 1000000 + n % $2, '{"kind":"REMIND_DAYS","days":7}', due, due, 'PENDING', '[]', now()
      from generate_series(1, $2::int * $3::int) n, lateral (select $4::timestamptz + n * interval '1 minute' as due) later`,
    [
      clinicId,
      DUE,
      REMINDERS_PER_RECIPIENT,
      app.clock
        .now()
        .add({ hours: 24 * 300 })
        .toString(),
    ],
  );
  await client.query('vacuum analyze reminder');
  await client.query(
    `update reminder set send_at = $2 where id in (select min(id) from reminder where clinic_id = $1 group by recipient_id)`,
    [clinicId, app.clock.now().toString()],
  );
  expect(await app.nest.get(ReminderDispatcher).dispatchDue()).toBe(DUE);
  // One index scan per batch, and one for the last batch, which is empty.
  expect(await countIndexScans('reminder_due')).toBe(DUE / MAX_CLAIMED_ROWS + 1);
});

/**
 * Counts index scans rather than entries read, because open transactions, even in other databases, change the number
 * of entries. A connection may not report its scans until it closes, so all other connections are terminated first.
 */
async function countIndexScans(index: string): Promise<number> {
  const { rows: ended } = await client.query<{ pid: number }>(
    `select pid, pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`,
  );
  const pids = ended.map(({ pid }) => pid);
  const isThere = 'select exists (select from pg_stat_activity where pid = any($1::int[])) as is_there';
  while ((await client.query<{ is_there: boolean }>(isThere, [pids])).rows[0]!.is_there) await wait(50);
  const scans = 'select idx_scan::int as scans from pg_stat_user_indexes where indexrelname = $1';
  return (await client.query<{ scans: number }>(scans, [index])).rows[0]!.scans;
}
