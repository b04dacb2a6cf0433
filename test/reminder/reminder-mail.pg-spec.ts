import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { signToken } from '../../src/auth/index.js';
import { repetitionCount } from '../support/app/repetitions.js';
import { ReminderFleet } from '../support/reminder/reminder-fleet.js';
import type { ConstantRateLoad } from '../support/process/constant-rate-caller.js';
import { testEnvironment, waitFor } from '../support/app/test-app.js';

/*
 * Tests many reminder e-mails that are due together. REMINDERS=10000 RECIPIENTS=2000 runs the full size. On an idle
 * machine, REMINDERS=20000 RECIPIENTS=20000 LOAD_SECONDS=60 also calls the API at the same time.
 */

const REMINDERS = repetitionCount('REMINDERS', 2_000, 10_000);
const RECIPIENTS = repetitionCount('RECIPIENTS', 400, 2_000);
/**
 * How long the API is called, first without and then with e-mails being sent. Time limits are checked at full size
 * only.
 */
const LOAD_SECONDS = repetitionCount('LOAD_SECONDS', 2, 2);
const IS_FULL_SIZE = LOAD_SECONDS >= 60;
/** The full size needs more SMTP connections, so that many e-mails are sent at the same time. */
const VARIABLES: Record<string, string> = IS_FULL_SIZE ? { SMTP_CONNECTIONS: '30' } : {};
const CALLS_PER_SECOND = 50;
const CALLER = './test/support/process/constant-rate-caller.ts';

let fleet: ReminderFleet;
beforeAll(async () => {
  fleet = await ReminderFleet.start(2, VARIABLES);
  await fleet.insertClients(RECIPIENTS);
});
afterAll(() => fleet.stop());
beforeEach(() => fleet.clearReminders());

/** Calls the API at a constant rate. Returns the 99th percentile of the response times in milliseconds. */
async function callApi(seconds: number): Promise<number> {
  const token = await signToken(testEnvironment.token, { role: 'CARE_PROVIDER', id: 1 });
  const url = `${fleet.instances[0]!.url}/gateway/profile/caregiver/session?limit=20`;
  const workerData: ConstantRateLoad = { url, token, rate: CALLS_PER_SECOND, seconds };
  const [latencies] = (await once(new Worker(CALLER, { workerData }), 'message')) as [number[]];
  return latencies.toSorted((a, b) => a - b)[Math.ceil(latencies.length * 0.99) - 1]!;
}

it('two instances send each reminder once, in one mail for each recipient', async () => {
  await fleet.insertReminders(REMINDERS, RECIPIENTS);
  const began = performance.now();
  await waitFor(async () => (await fleet.countByStatus())['SENT'] === REMINDERS, 300_000);
  const seconds = (performance.now() - began) / 1000;
  process.stdout.write(`${REMINDERS} reminders in ${fleet.smtp.mails.length} mails within ${seconds.toFixed(1)} s\n`);
  if (IS_FULL_SIZE) expect(seconds).toBeLessThan(60);

  const { lost, duplicates } = await fleet.reconcileMails();
  expect([lost, duplicates]).toEqual([0, []]);
  expect(fleet.smtp.mails).toHaveLength(RECIPIENTS);
  expect(new Set(fleet.smtp.mails.map(({ recipient }) => recipient)).size).toBe(RECIPIENTS);
  // Each Session has a different start, and each e-mail contains the starts of all Sessions of its recipient.
  const times = fleet.smtp.mails.map(
    ({ raw }) => new Set(raw.replaceAll('=\r\n', '').match(/^You have an appointment on .*$/gm)).size,
  );
  expect(times.reduce((sum, each) => sum + each, 0)).toBe(REMINDERS);
}, 360_000);

it('the API responds while mails are sent', async () => {
  const warmUpSeconds = Math.min(LOAD_SECONDS, 10);
  // In both measurements, the tables contain the same rows and have planner statistics, as in a database in use.
  await fleet.insertReminders(REMINDERS, RECIPIENTS, 0, 86_400);
  await fleet.client.query('vacuum analyze');
  // Calls the API first without measuring, so that code is compiled and connections are open.
  await callApi(warmUpSeconds);
  const idle = await callApi(LOAD_SECONDS);
  expect(fleet.smtp.mails).toHaveLength(0);
  await fleet.makeRemindersDue();
  await waitFor(() => fleet.smtp.mails.length > 0);
  const busy = await callApi(LOAD_SECONDS);
  const mails = fleet.smtp.mails.length;
  process.stdout.write(
    `99 of 100 calls within ${idle.toFixed(1)} ms, and within ${busy.toFixed(1)} ms while ${mails} mails went out\n`,
  );
  if (IS_FULL_SIZE) expect(busy).toBeLessThanOrEqual(2 * idle);
  await waitFor(async () => (await fleet.countByStatus())['SENT'] === REMINDERS, 300_000);
}, 600_000);
