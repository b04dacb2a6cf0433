import { signToken } from '../../src/auth/index.js';
import { testEnvironment, waitFor } from '../support/app/test-app.js';
import { ReminderFleet } from '../support/reminder/reminder-fleet.js';
import { WebhookReceiver } from '../support/reminder/webhook-receiver.js';

/* Tests that a channel whose server is slow does not delay the messages of another channel. */

/** More e-mails than an instance fetches from the queue at once. */
const EMAILS = 450;
const WEBHOOKS = 10;
const RECIPIENTS = EMAILS + WEBHOOKS;

let fleet: ReminderFleet;
let webhook: WebhookReceiver;
beforeAll(async () => {
  webhook = await WebhookReceiver.start((response) => response.writeHead(204));
  fleet = await ReminderFleet.start(1, webhook.variables);
  await fleet.insertClients(RECIPIENTS);
  for (let id = EMAILS + 1; id <= RECIPIENTS; id += 1) await chooseWebhook(id);
});
afterAll(async () => {
  await fleet.stop();
  webhook.stop();
});

async function chooseWebhook(id: number): Promise<void> {
  const token = await signToken(testEnvironment.token, { role: 'CLIENT', id });
  const response = await fetch(`${fleet.instances[0]!.url}/gateway/profile/client/reminder-preference`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ channels: ['WEBHOOK'] }),
  });
  expect(response.status).toBe(200);
}

it('delivers webhooks while all e-mails before them wait for a slow mail server, which gets each of them once', async () => {
  await fleet.smtp.setMode({ kind: 'slow', milliseconds: 300_000, isAlive: true });
  // The e-mails are due before the webhooks.
  await fleet.insertReminders(RECIPIENTS, RECIPIENTS);
  await waitFor(() => webhook.calls.length === WEBHOOKS);
  expect(fleet.smtp.mails).toEqual([]);
  await waitFor(async () => (await fleet.countByStatus())['SENT'] === WEBHOOKS);
  expect(await fleet.countByStatus()).toEqual({ QUEUED: EMAILS, SENT: WEBHOOKS });

  await fleet.smtp.setMode({ kind: 'ok' });
  await waitFor(async () => (await fleet.countByStatus())['SENT'] === RECIPIENTS);
  const { lost, duplicates } = await fleet.reconcileMails();
  expect([lost, duplicates]).toEqual([WEBHOOKS, []]);
  expect(fleet.smtp.mails).toHaveLength(EMAILS);
  expect(webhook.calls).toHaveLength(WEBHOOKS);
});
