import type { Client } from 'pg';
import { setTimeout as delay } from 'node:timers/promises';
import { ALL_QUEUE_NAMES } from '../../reminder/index.js';
import { allowChangesOfClosedClinic, inMoveTransaction } from './move-connection.js';
import { beginMoveAway, closeClinicForJobs, type MoveCredentials } from './move-state.js';

const POLLING_MS = 200;

/** Called repeatedly while the command waits, with the number and the kind of what it waits for. */
type ReportWaiting = (count: number, what: string) => void;

export type ClosingCallbacks = {
  /** Called once requests can no longer change the Clinic. */
  onClosed: () => void;
  onWait: ReportWaiting;
};

/**
 * Closes a Clinic that is moved away. Afterwards, all confirmed changes are stored, nothing changes the Clinic any more,
 * and each reminder either has been sent or will be sent by the other installation.
 */
export async function closeClinic(clinicId: number, { onClosed, onWait }: ClosingCallbacks): Promise<MoveCredentials> {
  const credentials = await beginMoveAway(clinicId);
  onClosed();
  // Open transactions may not have seen the move. Later transactions are refused.
  await waitForTransactions(onWait);
  await releaseQueuedReminders(clinicId);
  await waitForDeliveries(clinicId, onWait);
  await closeClinicForJobs(clinicId, credentials);
  await waitForTransactions(onWait);
  return credentials;
}

/**
 * Waits until all transactions that are open now and have written have ended. They have an ID below a new one. The end of
 * a snapshot is no such limit: it follows the last ended transaction, and open transactions can have a higher ID.
 */
async function waitForTransactions(onWait: ReportWaiting): Promise<void> {
  const next = await inMoveTransaction(async (client) => {
    const { rows } = await client.query<{ next: string }>('select pg_current_xact_id()::text as next');
    return rows[0]!.next;
  });
  await inMoveTransaction(async (client) => {
    for (let left = Infinity; left > 0;) {
      left = await countTransactions(client, next);
      if (left === 0) return;
      onWait(left, 'transaction(s) to end');
      await delay(POLLING_MS);
    }
  }, 'begin read only');
}

/** @param next the ID of the first transaction that is not counted */
async function countTransactions(client: Client, next: string): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select case when pg_snapshot_xmin(pg_current_snapshot()) >= $1::xid8 then 0
        else greatest(1, (select count(*) from pg_snapshot_xip(pg_current_snapshot()) as running where running < $1::xid8))::int
      end as count`,
    [next],
  );
  return rows[0]!.count;
}

/**
 * Sets queued reminders back to PENDING. They keep their message ID, so recipients can recognise a message that is sent
 * again. A worker that has prepared a message checks the status again before it sends the message.
 */
async function releaseQueuedReminders(clinicId: number): Promise<void> {
  await inMoveTransaction(async (client) => {
    await allowChangesOfClosedClinic(client);
    await client.query(
      `with own as materialized (
        select id from reminder where clinic_id = $1 and status = 'QUEUED' order by id for update)
      update reminder set status = 'PENDING' from own where reminder.clinic_id = $1 and reminder.id = own.id`,
      [clinicId],
    );
  });
}

const OWN_JOBS = `
  name = any($2::text[]) and data->>'messageId' in (
    select message_id::text from reminder where clinic_id = $1 and message_id is not null)`;

/** Deletes waiting jobs, and waits for jobs that are being processed. Ignores jobs of crashed processes. */
async function waitForDeliveries(clinicId: number, onWait: ReportWaiting): Promise<void> {
  const parameters = [clinicId, ALL_QUEUE_NAMES];
  for (;;) {
    const active = await inMoveTransaction(async (client) => {
      await client.query(`delete from pgboss.job where state in ('created', 'retry') and ${OWN_JOBS}`, parameters);
      const { rows } = await client.query<{ count: number }>(
        `select count(*)::int as count from pgboss.job where state = 'active' and ${OWN_JOBS}
          and coalesce(heartbeat_on + heartbeat_seconds * interval '1 second' > clock_timestamp(), true)`,
        parameters,
      );
      return rows[0]!.count;
    });
    if (active === 0) return;
    onWait(active, 'message(s) that are being sent');
    await delay(POLLING_MS);
  }
}
