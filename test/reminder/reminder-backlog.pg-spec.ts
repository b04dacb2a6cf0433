import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { ReminderDispatcher } from '../../src/reminder/index.js';
import { TestApp } from '../support/app/test-app.js';

/* After an outage much is due at once, and PostgreSQL does not know it yet: its statistics are of when nothing was. */

const DUE = 2_000;
/** As many as make the way by both indexes look short. */
const OF_EACH = 20;
/** Recipients that one transaction claims (src/reminder/dispatch/reminder.dispatcher.ts). */
const BATCH = 500;

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

it('a backlog costs no more to claim than what is due one by one', async () => {
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
      OF_EACH,
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
  // Each batch looks once, and so does the one that finds nothing more.
  expect(await scansOf('reminder_due')).toBe(DUE / BATCH + 1);
});

/**
 * Not the entries read: of those that earlier batches have taken, as many are read again as any open transaction of
 * the server may still see, of another test's database too. A connection tells of its scans when it ends, at the latest.
 */
async function scansOf(index: string): Promise<number> {
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
