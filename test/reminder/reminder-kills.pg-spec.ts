import { signToken } from '../../src/auth/index.js';
import { repetitionCount } from '../support/app/repetitions.js';
import { ReminderFleet } from '../support/reminder/reminder-fleet.js';
import { testEnvironment, waitFor } from '../support/app/test-app.js';

/*
 * Kills instances repeatedly while Sessions are created and their reminders are sent. KILLS=20 SESSIONS=5000 runs the
 * full size.
 */

const KILLS = repetitionCount('KILLS', 2, 20);
const SESSIONS = repetitionCount('SESSIONS', 300, 5_000);
const CLIENTS = 200;
const CALLERS = 4;
/** Maximum number of messages that a process has sent without recording it. This is the concurrency of its channel. */
const CONNECTIONS = 10;
const PATH = '/gateway/profile/caregiver/session';

let fleet: ReminderFleet;
let headers: Record<string, string>;
beforeEach(async () => {
  fleet = await ReminderFleet.start(2);
  await fleet.insertClients(CLIENTS);
  // Care Providers receive e-mails as well, which are part of the load.
  await fleet.client.query(`update care_provider set email = 'p@example.org'`);
  const token = await signToken(testEnvironment.token, { role: 'CARE_PROVIDER', id: 1 });
  headers = { authorization: `bearer ${token}`, 'content-type': 'application/json' };
});
afterEach(() => fleet.stop());

/** Creates Sessions at any running instance until enough are acknowledged. Appends their ids to `acknowledged`. */
async function createSessions(acknowledged: number[]): Promise<void> {
  for (let turn = 0; acknowledged.length < SESSIONS; turn += 1) {
    const { url } = fleet.instances[turn % fleet.instances.length]!;
    // The Sessions are far apart, so that they do not overlap.
    const at = acknowledged.length * CALLERS + (turn % CALLERS);
    const date = Temporal.PlainDate.from('2027-01-01')
      .add({ days: at % 3_000 })
      .toString()
      .replaceAll('-', '/');
    const body = { clientId: (at % CLIENTS) + 1, title: 'T', date, time: '09:30', remindDays: 0 };
    const answer = await fetch(`${url}${PATH}`, { method: 'POST', headers, body: JSON.stringify(body) })
      // Only a complete response is an acknowledgement.
      .then(async (response) => ({ status: response.status, text: await response.text() }))
      .catch(() => undefined);
    if (answer?.status === 201) acknowledged.push(Number(/created: (\d+)\./.exec(answer.text)![1]));
  }
}

it(`loses no acknowledged Session and no reminder in ${KILLS} kills`, async () => {
  const acknowledged: number[] = [];
  const callers = Array.from({ length: CALLERS }, () => createSessions(acknowledged));
  for (let kill = 1; kill <= KILLS; kill += 1) {
    // The kills are spread evenly over the load. Before each kill, at least one e-mail is sent.
    const mails = fleet.smtp.mails.length;
    await waitFor(() => acknowledged.length >= (SESSIONS * kill) / (KILLS + 1), 300_000);
    await waitFor(() => fleet.smtp.mails.length > mails || acknowledged.length >= SESSIONS);
    const [victim] = fleet.instances.splice(Math.floor(Math.random() * 2), 1);
    await victim!.terminate('SIGKILL');
    await fleet.add();
  }
  await Promise.all(callers);
  const began = performance.now();
  await waitFor(async () => Object.keys(await fleet.countByStatus()).join() === 'SENT', 300_000);
  const seconds = (performance.now() - began) / 1000;

  const found = await fleet.client.query<{ id: string }>('select id from session');
  const sessions = new Set(found.rows.map(({ id }) => Number(id)));
  expect(acknowledged.filter((id) => !sessions.has(id))).toEqual([]);
  expect(new Set(acknowledged).size).toBe(acknowledged.length);
  // Each Session has its two reminders, because one transaction creates all of them.
  const planned = await fleet.client.query<{ count: number }>('select count(*)::int as count from reminder');
  expect(planned.rows[0]!.count).toBe(sessions.size * 2);

  const { lost, duplicates, messages } = await fleet.reconcileMails();
  process.stdout.write(
    `${KILLS} kills, ${acknowledged.length} acknowledged Sessions of ${sessions.size}, ${messages} messages, ` +
      `${duplicates.length} mails came twice, all sent ${seconds.toFixed(1)} s after the last Session\n`,
  );
  expect(lost).toBe(0);
  expect(duplicates.length).toBeLessThanOrEqual(KILLS * CONNECTIONS);
  // Every received Message-ID belongs to a row, because repeated e-mails keep their Message-ID.
  const { rows } = await fleet.client.query<{ message_id: string }>('select distinct message_id from reminder');
  const known = new Set(rows.map((row) => row.message_id));
  expect(fleet.smtp.mails.filter(({ messageId }) => !known.has(messageId))).toEqual([]);
}, 1_200_000);
