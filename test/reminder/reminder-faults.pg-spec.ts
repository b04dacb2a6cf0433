import { setTimeout as delay } from 'node:timers/promises';
import { repetitionCount } from '../support/app/repetitions.js';
import { ReminderFleet } from '../support/reminder/reminder-fleet.js';
import type { SmtpMode } from '../support/reminder/smtp-server.js';
import { testEnvironment, waitFor } from '../support/app/test-app.js';
import { signToken } from '../../src/auth/index.js';

/*
 * Tests an SMTP server that fails under load in five ways. The due times are spread evenly from before the fault until
 * after it. FAULT_SECONDS=30 REMINDERS=3000 runs the full size.
 */

const FAULT_SECONDS = repetitionCount('FAULT_SECONDS', 4, 30);
const REMINDERS = repetitionCount('REMINDERS', 400, 3_000);
const RECIPIENTS = 200;
const BEFORE_SECONDS = 3;
const MAX_DRAIN_SECONDS = 120;
/** Deliveries are slowed down for ten seconds after a request. This is a little longer. */
const SERVING_MS = 11_000;
const REMINDER = '/gateway/profile/clinic/reminder';

let fleet: ReminderFleet;
beforeAll(async () => {
  fleet = await ReminderFleet.start(2);
  await fleet.insertClients(RECIPIENTS);
});
afterAll(() => fleet.stop());
beforeEach(() => fleet.clearReminders());

async function call(method: string, path: string): Promise<{ items: { status: string }[]; redriven: number }> {
  const token = await signToken(testEnvironment.token, { role: 'CLINIC', id: 1 });
  const response = await fetch(`${fleet.instances[0]!.url}${path}`, {
    method,
    headers: { authorization: `bearer ${token}` },
  });
  expect(response.status).toBe(200);
  return (await response.json()) as { items: { status: string }[]; redriven: number };
}

/** Runs the load. The fault occurs in the middle of it. */
async function runFault(fault: SmtpMode): Promise<void> {
  await fleet.insertReminders(REMINDERS, RECIPIENTS, BEFORE_SECONDS + FAULT_SECONDS + 2);
  await delay(BEFORE_SECONDS * 1000);
  await fleet.smtp.setMode(fault);
  await delay(FAULT_SECONDS * 1000);
  await fleet.smtp.setMode({ kind: 'ok' });
}

/** Waits until no reminder is PENDING or QUEUED. Returns the duration in seconds. */
async function drain(): Promise<number> {
  const began = performance.now();
  const settled = ({ SENT = 0, DEAD = 0 }) => SENT + DEAD === REMINDERS;
  await waitFor(async () => settled(await fleet.countByStatus()), MAX_DRAIN_SECONDS * 1000);
  return (performance.now() - began) / 1000;
}

async function report(name: string, seconds: number): Promise<void> {
  const { duplicates, messages } = await fleet.reconcileMails();
  process.stdout.write(
    `${name}: ${REMINDERS} reminders in ${messages} messages, ${duplicates.length} mails came twice, ` +
      `drained ${seconds.toFixed(1)} s after\n`,
  );
}

const faults: [name: string, mode: SmtpMode][] = [
  ['server down', { kind: 'down' }],
  ['slow', { kind: 'slow', milliseconds: 1_500 }],
  ['4xx', { kind: 'refuse', code: 451, at: 'DATA' }],
];
it.each(faults)('loses none and repeats none: %s', async (name, mode) => {
  await runFault(mode);
  const seconds = await drain();
  await report(name, seconds);
  expect(await fleet.countByStatus()).toEqual({ SENT: REMINDERS });
  expect(await fleet.reconcileMails()).toMatchObject({ lost: 0, duplicates: [] });
});

it('loses and repeats no mail: 5xx, which causes dead letters that can be redriven', async () => {
  await runFault({ kind: 'refuse', code: 550, at: 'RCPT' });
  const seconds = await drain();
  const { DEAD: dead = 0 } = await fleet.countByStatus();
  expect(dead).toBeGreaterThan(0);
  const { items } = await call('GET', `${REMINDER}?status=DEAD&limit=1`);
  expect(items).toMatchObject([{ status: 'DEAD', reason: 'UNDELIVERABLE' }]);
  let redriven = 0;
  for (let each = 1_000; each === 1_000; redriven += each)
    ({ redriven: each } = await call('POST', `${REMINDER}/redrive`));
  expect(redriven).toBe(dead);
  await waitFor(async () => (await fleet.countByStatus())['SENT'] === REMINDERS, MAX_DRAIN_SECONDS * 1000);
  await report(`5xx, ${dead} dead letters`, seconds);
  expect(await fleet.reconcileMails()).toMatchObject({ lost: 0, duplicates: [] });
});

it('loses no mail and repeats only unacknowledged ones: connection closed after DATA', async () => {
  await runFault({ kind: 'dropAfterData' });
  const seconds = await drain();
  await report('connection dropped after DATA', seconds);
  expect(await fleet.countByStatus()).toEqual({ SENT: REMINDERS });
  const { lost, duplicates, messages } = await fleet.reconcileMails();
  expect(lost).toBe(0);
  expect(duplicates.length).toBeGreaterThan(0);
  // Only e-mails that got no reply are sent again, with the same Message-ID.
  const unknown = new Set(
    fleet.smtp.mails.filter(({ mode }) => mode === 'dropAfterData').map((mail) => mail.messageId),
  );
  expect(duplicates.filter(({ messageId }) => !unknown.has(messageId))).toEqual([]);
  // Every repeated e-mail must be recorded as an attempt. A repetition without one would be a library's own retry.
  const attempts = await fleet.client.query<{ message_id: string; count: number }>(`
    select message_id, (select count(*)::int from jsonb_array_elements(story) c where c->>'what' in ('FAILED', 'SENT')) as count
    from reminder`);
  const mails = Map.groupBy(fleet.smtp.mails, ({ messageId }) => messageId);
  expect(attempts.rows.filter((row) => mails.get(row.message_id)!.length > row.count)).toEqual([]);
  const { rows } = await fleet.client.query<{ count: number }>(
    "select count(distinct entry->>'messageId')::int as count from reminder, jsonb_array_elements(story) as entry",
  );
  expect(messages).toBe(rows[0]!.count);
});

it('a recipient who fails does not delay another', async () => {
  // Waits, because other tests have just sent requests, which slow down deliveries.
  await delay(SERVING_MS);
  await fleet.smtp.setMode({ kind: 'slow', milliseconds: 10_000, only: /^k1@/ });
  await fleet.insertReminders(REMINDERS, RECIPIENTS);
  const began = performance.now();
  const others = RECIPIENTS - 1;
  await waitFor(() => fleet.smtp.mails.length >= others);
  const seconds = (performance.now() - began) / 1000;
  process.stdout.write(`${others} others were served within ${seconds.toFixed(1)} s\n`);
  expect(fleet.smtp.mails.some(({ recipient }) => recipient === 'k1@example.org')).toBe(false);
  await waitFor(async () => (await fleet.countByStatus())['SENT'] === REMINDERS);
});
