import { setTimeout as delay } from 'node:timers/promises';
import { repetitionCount } from '../support/app/repetitions.js';
import { ReminderFleet } from '../support/reminder/reminder-fleet.js';
import { WebhookReceiver } from '../support/reminder/webhook-receiver.js';
import { waitFor } from '../support/app/test-app.js';

/* Tests pauses that a receiver requests with `Retry-After` or causes by failing. DOWN_SECONDS=20 runs the full size. */

const DOWN_SECONDS = repetitionCount('DOWN_SECONDS', 12, 12);
const RECIPIENTS = 200;

/** One of the instances sends e-mails, and the other one calls a webhook. */
let mailFleet: ReminderFleet;
let webhookFleet: ReminderFleet;
let webhook: WebhookReceiver;
let answer: Parameters<typeof WebhookReceiver.start>[0];
beforeAll(async () => {
  webhook = await WebhookReceiver.start((response, call) => answer(response, call));
  [mailFleet, webhookFleet] = await Promise.all([
    ReminderFleet.start(1),
    ReminderFleet.start(1, { SMTP_URL: '', ...webhook.variables }),
  ]);
  await Promise.all([mailFleet, webhookFleet].map((one) => one.insertClients(RECIPIENTS)));
});
afterAll(async () => {
  await Promise.all([mailFleet.stop(), webhookFleet.stop()]);
  webhook.stop();
});
beforeEach(async () => {
  await Promise.all([mailFleet.clearReminders(), webhookFleet.clearReminders()]);
  webhook.calls.length = 0;
});

it('respects Retry-After of a webhook without counting an attempt', async () => {
  answer = (response, { number }) =>
    number <= 2 ? response.writeHead(429, { 'retry-after': '2' }) : response.writeHead(204);
  await webhookFleet.insertReminders(1, 1);
  await waitFor(async () => (await webhookFleet.countByStatus())['SENT'] === 1);
  const { calls } = webhook;
  expect(calls).toHaveLength(3);
  for (const [index, { receivedAt }] of calls.slice(1).entries())
    expect(receivedAt - calls[index]!.receivedAt).toBeGreaterThanOrEqual(2_000);
  expect(new Set(calls.map(({ headers }) => headers['webhook-id'])).size).toBe(1);

  const jobs = await webhookFleet.client.query(
    "select 1 from pgboss.job where name = 'reminder-webhook' and retry_count > 0",
  );
  expect(jobs.rows).toEqual([]);
  const { rows } = await webhookFleet.client.query<{ story: object[] }>('select story from reminder');
  expect(rows[0]!.story).toMatchObject([
    { what: 'QUEUED' },
    // Successive pauses are combined into one history entry.
    { what: 'DEFERRED', reason: 'CHANNEL_BUSY', times: 2 },
    { what: 'QUEUED' },
    { what: 'SENT', channel: 'WEBHOOK' },
  ]);
});

it('makes few attempts at a failing server, however many messages wait', async () => {
  const { connections: before } = mailFleet.smtp;
  await mailFleet.smtp.setMode({ kind: 'hangUp' });
  await mailFleet.insertReminders(RECIPIENTS, RECIPIENTS);
  await waitFor(() => mailFleet.smtp.connections > before);
  await delay(DOWN_SECONDS * 1000);
  const connections = mailFleet.smtp.connections - before;
  process.stdout.write(`${connections} connections in ${DOWN_SECONDS} s for ${RECIPIENTS} messages\n`);
  // At most one message per connection, the minimum number of messages of the circuit, and one message after each
  // reset.
  expect(connections).toBeLessThanOrEqual(10 + 5 + Math.ceil(DOWN_SECONDS / 5));
  await mailFleet.smtp.setMode({ kind: 'ok' });
  await waitFor(async () => (await mailFleet.countByStatus())['SENT'] === RECIPIENTS);
  expect(await mailFleet.reconcileMails()).toMatchObject({ lost: 0, duplicates: [] });
});

it('temporarily refused recipients do not delay others', async () => {
  // The server temporarily refuses some recipients, as with greylisting.
  await mailFleet.smtp.setMode({ kind: 'refuse', code: 451, at: 'RCPT', only: /[159]@/ });
  await mailFleet.insertReminders(RECIPIENTS, RECIPIENTS);
  const began = performance.now();
  const others = RECIPIENTS * 0.7;
  await waitFor(() => mailFleet.smtp.mails.length === others);
  const seconds = (performance.now() - began) / 1000;
  process.stdout.write(`${others} others were served within ${seconds.toFixed(1)} s\n`);
  await mailFleet.smtp.setMode({ kind: 'ok' });
  await waitFor(async () => (await mailFleet.countByStatus())['SENT'] === RECIPIENTS);
  expect(await mailFleet.reconcileMails()).toMatchObject({ lost: 0, duplicates: [] });
});

it('marks sent messages while others of the batch are still being sent', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
  answer = async (response, { number }) => {
    if (number === 1) await released;
    response.writeHead(204);
  };
  await webhookFleet.insertReminders(50, 50);
  await waitFor(async () => (await webhookFleet.countByStatus())['SENT'] === 49);
  expect(await webhookFleet.countByStatus()).toEqual({ SENT: 49, QUEUED: 1 });
  release(undefined);
  await waitFor(async () => (await webhookFleet.countByStatus())['SENT'] === 50);
  expect(webhook.calls).toHaveLength(50);
});
