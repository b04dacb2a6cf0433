import { MikroORM } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import pg from 'pg';
import { claimDueReminders } from '../../src/reminder/dispatch/due-reminder-claim.js';
import { OutcomeWriter } from '../../src/reminder/outcome/outcome-writer.js';
import { ReminderMetrics } from '../../src/reminder/metrics/reminder.metrics.js';
import { Scheduler } from '../../src/scheduler/index.js';
import { forkForActor } from '../../src/shared/persistence/index.js';
import { TestApp } from '../support/app/test-app.js';

/*
 * Tests the search for due reminders, and the writing of their outcomes, with planner statistics from a time at which no
 * reminder was pending. PostgreSQL then expects one row at most, and any plan seems to be equally good. Each test has a
 * database of its own, because the size of the indexes counts too.
 */

const DUE = 2_000;
/** So many that PostgreSQL no longer reads the whole table. */
const BACKLOG = 40_000;
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
async function insertReminders(clinicId: number, status: string, count = DUE): Promise<void> {
  await client.query(
    `insert into reminder (clinic_id, session_id, caregiver_id, recipient_kind, recipient_id, rule, due_at, send_at, status,
        story, created_at)
      select $1, 1, 1, 'CLIENT', 1000000 + n, '{"kind":"REMIND_DAYS","days":7}', $3::timestamptz, $3::timestamptz, $4, '[]',
        now() from generate_series(1, $2::int) n`,
    [clinicId, count, app.clock.now().toString(), status],
  );
}

/**
 * Claims due reminders as the dispatcher does, and writes their outcomes. Returns the number of claimed reminders, the
 * searches of indexes by the claim, and the rows that `write` has read.
 */
function claim(
  write: (outcomes: OutcomeWriter, ids: readonly number[]) => Promise<unknown> = () => Promise.resolve(),
): Promise<{ claimed: number; searches: number; rowsRead: number }> {
  const em = forkForActor(app.nest.get(MikroORM).em, { role: 'REMINDERS', clinicId: undefined });
  return em.transactional(async (transaction) => {
    const { reminders } = await claimDueReminders(transaction as SqlEntityManager, app.clock.now(), LIMITS, []);
    const { searches, rowsRead: before } = await readCounts(transaction as SqlEntityManager);
    const outcomes = new OutcomeWriter(transaction, app.nest.get(ReminderMetrics));
    await write(
      outcomes,
      reminders.map(({ id }) => Number(id)),
    );
    const { rowsRead } = await readCounts(transaction as SqlEntityManager);
    return { claimed: reminders.length, searches, rowsRead: rowsRead - before };
  });
}

/** Counts the searches of indexes of reminders in the transaction, and the reminders that it has read. */
async function readCounts(em: SqlEntityManager): Promise<{ searches: number; rowsRead: number }> {
  const { rows } = await sql<{ searches: number; rowsRead: number }>`
    select idx_scan::int as searches, (idx_tup_fetch + seq_tup_read)::int as "rowsRead"
    from pg_stat_xact_user_tables where relname = 'reminder'`.execute(em.getKysely());
  return rows[0]!;
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

const MESSAGE_ID = '0192f0c1-2b3c-7d4e-8f50-61728394a5b6';

it.each<[string, (outcomes: OutcomeWriter, ids: readonly number[]) => Promise<unknown>]>([
  [
    'queued reminders',
    (outcomes, ids) => {
      const queued = ids.map((id) => ({ id, status: 'QUEUED' as const, messageId: MESSAGE_ID }));
      return outcomes.write('PENDING', queued, app.clock.now());
    },
  ],
  [
    'sent reminders',
    (outcomes, ids) => {
      const now = app.clock.now();
      const historyEntry = { what: 'SENT', channel: 'LOG', late: false } as const;
      return outcomes.writeSent(
        ids.map((id) => ({ id, messageId: MESSAGE_ID, sentAt: now, expectedAt: now, historyEntry })),
      );
    },
  ],
])('looks %s up by their ids, although the statistics say that none is pending', async (_, write) => {
  const { clinicId } = await app.createClinic();
  await insertReminders(clinicId, 'SENT');
  await client.query('analyze reminder');
  await client.query('delete from reminder');
  await insertReminders(clinicId, 'PENDING', BACKLOG);
  const { claimed, rowsRead } = await claim(write);
  expect(claimed).toBe(LIMITS.rows);
  // Otherwise, all pending reminders would be compared with each outcome: 20 million comparisons.
  expect(rowsRead).toBeLessThan(10 * claimed);
});
