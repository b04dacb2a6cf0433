import pg from 'pg';
import { getQueueName } from '../../../src/reminder/queue/queue-names.js';
import { startPgBoss } from './jobs.js';

/*
 * Executes only the writes without which no due reminder can be delivered: claims it, inserts, fetches and completes its
 * job, and marks it as SENT. Reads no recipient, writes no text and calls no channel. Prints the number of reminders, and
 * the start and end times.
 */

const BATCH = 500;
/** The service fetches with as many workers. */
const CONCURRENCY = 4;
const QUEUE = getQueueName('LOG');

const connectionString = process.env['DATABASE_URL']!;
const pool = new pg.Pool({ connectionString, max: CONCURRENCY });
const boss = await startPgBoss(connectionString);
const begin = Date.now();
const counts = await Promise.all(Array.from({ length: CONCURRENCY }, deliverAll));
const end = Date.now();
await boss.stop({ graceful: false });
await pool.end();
process.stdout.write(JSON.stringify({ done: counts.reduce((sum, count) => sum + count, 0), begin, end }));

async function deliverAll(): Promise<number> {
  let sent = 0;
  for (;;) {
    const claimed = await claim();
    const jobs = await boss.fetch<{ messageId: string }>(QUEUE, { batchSize: BATCH });
    if (claimed === 0 && jobs.length === 0) return sent;
    const messageIds = jobs.map(({ data }) => data.messageId);
    await pool.query(
      `update reminder set status = 'SENT', settled_at = now(), story = story || $2::jsonb
        where message_id = any($1) and status = 'QUEUED'`,
      [messageIds, JSON.stringify([{ at: new Date().toISOString(), what: 'SENT', channel: 'LOG', late: false }])],
    );
    await boss.complete(
      QUEUE,
      jobs.map(({ id }) => id),
    );
    sent += jobs.length;
  }
}

async function claim(): Promise<number> {
  const client = await pool.connect();
  await client.query('begin');
  const { rows } = await client.query<{ message_id: string }>(
    `with due as (
        select clinic_id, id from reminder where status = 'PENDING' and send_at <= now()
        order by send_at, id limit ${BATCH} for update skip locked
      )
      update reminder set status = 'QUEUED', message_id = gen_random_uuid(), queued_at = now(), story = story || $1::jsonb
      from due where reminder.clinic_id = due.clinic_id and reminder.id = due.id
      returning message_id`,
    [JSON.stringify([{ at: new Date().toISOString(), what: 'QUEUED' }])],
  );
  const jobs = rows.map(({ message_id: messageId }) => ({ data: { messageId } }));
  const db = { executeSql: (text: string, values?: unknown[]) => client.query(text, values) };
  if (jobs.length > 0) await boss.insert(QUEUE, jobs, { db });
  await client.query('commit');
  client.release();
  return jobs.length;
}
