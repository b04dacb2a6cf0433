import { setTimeout as delay } from 'node:timers/promises';
import { repetitionCount } from '../support/app/repetitions.js';
import { ReminderFleet } from '../support/reminder/reminder-fleet.js';
import { waitFor } from '../support/app/test-app.js';

/*
 * Tests messages whose outcomes cannot be written for some time after they were sent. Each message must arrive exactly
 * once. UNWRITTEN_SECONDS=100 runs the full size.
 */

/** Longer than the queue's heartbeat, so that it gives the jobs of each instance to the other one. */
const UNWRITTEN_SECONDS = repetitionCount('UNWRITTEN_SECONDS', 20, 100);
const RECIPIENTS = 40;
const CONNECTIONS = 10;

let fleet: ReminderFleet;
beforeAll(async () => {
  fleet = await ReminderFleet.start(2);
  await fleet.insertClients(RECIPIENTS);
});
afterAll(() => fleet.stop());
beforeEach(async () => {
  await fleet.client.query('delete from reminder');
  fleet.smtp.mails.length = 0;
});

/** Simulates a full disk: no SENT reminder and no job can be written. */
const makeUnwritable = `
  create function full_disk() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$;
  create trigger full_disk before update on reminder for each row when (new.status = 'SENT') execute function full_disk();
  create trigger full_disk before update on pgboss.job for each row execute function full_disk()`;
const makeWritable = `
  drop trigger full_disk on reminder; drop trigger full_disk on pgboss.job; drop function full_disk()`;
const lockTable = 'begin; lock table reminder in share row exclusive mode';

it.each([
  ['a lock', lockTable, 'commit'],
  ['a full disk', makeUnwritable, makeWritable],
])('%s makes nothing arrive twice, and nothing dead', async (_, prevent, allow) => {
  // The server is receiving the first mails when the rows become unwritable.
  await fleet.smtp.setMode({ kind: 'slow', milliseconds: 60_000 });
  const { recipientCommands } = fleet.smtp;
  await fleet.insertReminders(RECIPIENTS, RECIPIENTS);
  await waitFor(() => fleet.smtp.recipientCommands > recipientCommands);
  await fleet.client.query(prevent);
  await fleet.smtp.setMode({ kind: 'ok' });
  await waitFor(() => fleet.smtp.mails.length > 0);
  await delay(UNWRITTEN_SECONDS * 1000);
  const { mails } = fleet.smtp;
  const meanwhile = mails.length;
  await fleet.client.query(allow);
  await waitFor(async () => (await fleet.countByStatus())['SENT'] === RECIPIENTS);
  process.stdout.write(`${meanwhile} mails in ${UNWRITTEN_SECONDS} s in which no row could be written\n`);

  expect(await fleet.countByStatus()).toEqual({ SENT: RECIPIENTS });
  expect(await fleet.reconcileMails()).toMatchObject({ lost: 0, duplicates: [], messages: RECIPIENTS });
  // While writes fail, no new messages are sent, except those on the connections of one or both instances.
  expect(meanwhile).toBeLessThanOrEqual(2 * CONNECTIONS);
});
