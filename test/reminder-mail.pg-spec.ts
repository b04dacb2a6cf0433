import { countOf, ReminderFleet } from './support/reminder-load.js';
import { waitFor } from './support/world.js';

/* Mails of many reminders that are due at once. By hand: REMINDERS=10000 RECIPIENTS=2000. */

const REMINDERS = countOf('REMINDERS', 2_000);
const RECIPIENTS = countOf('RECIPIENTS', 400);

let fleet: ReminderFleet;
afterEach(() => fleet.stop());

it('two instances mail every reminder once, those of one recipient together', async () => {
  fleet = await ReminderFleet.start(2);
  await fleet.people(RECIPIENTS);
  await fleet.reminders(REMINDERS, RECIPIENTS);
  const began = performance.now();
  await waitFor(async () => (await fleet.statuses())['SENT'] === REMINDERS, 300_000);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  process.stdout.write(`${REMINDERS} reminders in ${fleet.smtp.mails.length} mails within ${seconds} s\n`);

  const { lost, duplicates } = await fleet.accounts();
  expect([lost, duplicates]).toEqual([0, []]);
  expect(fleet.smtp.mails).toHaveLength(RECIPIENTS);
  expect(new Set(fleet.smtp.mails.map(({ recipient }) => recipient)).size).toBe(RECIPIENTS);
  // Each Session starts at a time of its own, and each mail names every one of its recipient's.
  const times = fleet.smtp.mails.map(
    ({ raw }) => new Set(raw.replaceAll('=\r\n', '').match(/^You have an appointment on .*$/gm)).size,
  );
  expect(times.reduce((sum, each) => sum + each, 0)).toBe(REMINDERS);
}, 360_000);
