import { execFileSync } from 'node:child_process';
import { ReminderDispatcher, ReminderSweeper } from '../../src/reminder/index.js';
import { Scheduler } from '../../src/scheduler/index.js';
import { TestApp, waitFor, type ClinicFixture, type TestResponse } from '../support/app/test-app.js';
import { distributeDatabase, type CitusCluster, type CitusNode } from '../support/database/citus.js';
import { createClinicOnEachWorker, startMigratedCluster, toTestDatabase } from '../support/database/own-cluster.js';
import { queryRows } from '../support/database/query-rows.js';

/* A worker whose processes do not run, so that connections to it wait instead of failing. */

const SESSIONS = '/gateway/profile/caregiver/session';
const POOL_SIZE = 10;
/** More requests than the instance has connections. */
const MANY = POOL_SIZE + 5;
/** The bound of half-open connections is 5 s, on a machine that is not busy. Without it, statements end after 15 s. */
const DETECTED_WITHIN_MS = 14_000;
/** A request that does not wait for a server that is known to be frozen, also on a slow machine. */
const AT_ONCE_MS = 4_000;

let cluster: CitusCluster;
let url: string;
let app: TestApp;
beforeAll(async () => {
  ({ cluster, url } = await startMigratedCluster());
  distributeDatabase(url);
  app = await TestApp.startOn(toTestDatabase(url));
  await app.nest.get(Scheduler).stop();
});
afterAll(async () => {
  await app.nest.close();
  cluster.stop();
});

const query = <Row extends object>(statement: string) => queryRows<Row>(url, statement);

/** Sends a signal to all processes of a server. */
function signal({ pid }: CitusNode, name: 'SIGSTOP' | 'SIGCONT'): void {
  process.kill(pid, name);
  const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
  for (const child of children.trim().split(/\s+/)) {
    try {
      process.kill(Number(child), name);
    } catch {
      // It has ended.
    }
  }
}

type Timed = { status: number; ms: number };

async function time(work: Promise<TestResponse>): Promise<Timed> {
  const start = performance.now();
  const { status } = await work;
  return { status, ms: performance.now() - start };
}

const createSession = ({ clientIds, careProviderToken: token }: ClinicFixture) =>
  time(
    app.call('POST', SESSIONS, {
      token,
      body: { clientId: clientIds[0], title: 'Talk', date: '2030/01/01', time: '09:00', remindDays: 0 },
    }),
  );

/** A request of a Client whose Clinic the instance has not looked up before. */
const listAsNewcomer = async ({ clientIds }: ClinicFixture, index: number) =>
  time(
    app.call('GET', '/gateway/profile/client/session', { token: await app.createToken('CLIENT', clientIds[index]) }),
  );

const repeat = <T>(work: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: MANY }, work));
const statuses = (timed: Timed[]) => [...new Set(timed.map(({ status }) => status))];
const slowest = (timed: Timed[]) => Math.max(...timed.map(({ ms }) => ms));
const deliveredTo = ({ clinicId }: ClinicFixture) =>
  app.deliveredMessages.filter((message) => message.clinicId === clinicId).length;

async function countActiveBackends(): Promise<number> {
  const rows = await query(`
    select from pg_stat_activity where datname = 'care' and backend_type = 'client backend' and pid <> pg_backend_pid()
      and state <> 'idle'`);
  return rows.length;
}

// Citus uses the first worker for some statements that concern all servers, so each of the two must be frozen once.
it.each([1, 2])(
  'a frozen worker delays the requests and reminders of other Clinics only until it is detected: worker %i',
  async (index) => {
    const frozen = cluster.nodes[index]!;
    const { host: server } = new URL(frozen.url);
    const clinics = await createClinicOnEachWorker(url, () => app.createClinic());
    const stops = clinics.get(server)!;
    const [, stays] = [...clinics].find(([each]) => each !== server)!;
    // Each connection of the pool has a connection to each worker.
    for (const clinic of [stops, stays]) expect(statuses(await repeat(() => createSession(clinic)))).toEqual([201]);
    signal(frozen, 'SIGSTOP');
    try {
      const [ofFrozen, ofOther, newcomer, unknown] = await Promise.all([
        repeat(() => createSession(stops)),
        repeat(() => createSession(stays)),
        listAsNewcomer(stays, 0),
        listAsNewcomer(stops, 0),
      ]);
      expect(statuses(ofFrozen)).toEqual([503]);
      expect(statuses(ofOther)).toEqual([201]);
      expect([newcomer.status, unknown.status]).toEqual([200, 503]);
      expect(slowest([...ofFrozen, ...ofOther, newcomer, unknown])).toBeLessThan(DETECTED_WITHIN_MS);

      for (let round = 0; round < 3; round += 1) {
        const later = await Promise.all([createSession(stays), listAsNewcomer(stays, 1), listAsNewcomer(stays, 2)]);
        const refused = await Promise.all([createSession(stops), listAsNewcomer(stops, round)]);
        expect([statuses(later).toSorted(), statuses(refused)]).toEqual([[200, 201], [503]]);
        expect(slowest([...later, ...refused])).toBeLessThan(AT_ONCE_MS);
        await time(app.call('GET', '/metrics'));
      }
      // A backend of the coordinator that waits for the frozen server is held until that runs again.
      await waitFor(async () => (await countActiveBackends()) <= POOL_SIZE, DETECTED_WITHIN_MS);

      const before = deliveredTo(stays);
      const start = performance.now();
      await app.nest.get(ReminderDispatcher).dispatchDue();
      await app.nest.get(ReminderSweeper).sweep();
      await waitFor(() => Promise.resolve(deliveredTo(stays) > before));
      expect(performance.now() - start).toBeLessThan(DETECTED_WITHIN_MS);
      const ready = await app.call('GET', '/health/ready');
      expect([ready.status, ready.body.details.servers]).toEqual([
        200,
        { status: 'up', state: 'degraded', unreachable: [server] },
      ]);
    } finally {
      signal(frozen, 'SIGCONT');
    }
    await waitFor(async () => (await createSession(stops)).status === 201);
    expect((await listAsNewcomer(stops, 0)).status).toBe(200);
    await waitFor(async () => (await countActiveBackends()) === 0);
    await app.nest.get(ReminderDispatcher).dispatchDue();
    await app.nest.get(ReminderSweeper).sweep();
    const ids = `(${stays.clinicId}, ${stops.clinicId})`;
    await waitFor(
      async () => (await query(`select from reminder where clinic_id in ${ids} and status <> 'SENT'`)).length === 0,
    );
    const messageIds = app.deliveredMessages.map(({ messageId }) => messageId);
    expect(new Set(messageIds).size).toBe(messageIds.length);
    // Each Session has the audit entry of its request, and its reminders.
    const [counts] = await query<Record<string, number>>(`
      select (select count(*)::int from session where clinic_id in ${ids}) as sessions,
        (select count(*)::int from audit_entry where clinic_id in ${ids} and outcome = 'OK'
          and operation = 'POST ${SESSIONS}') as entries,
        (select count(*)::int from reminder where clinic_id in ${ids}) as reminders`);
    expect(counts).toEqual({
      sessions: counts!['sessions'],
      entries: counts!['sessions'],
      reminders: counts!['sessions']! * 2,
    });
    expect((await app.call('GET', '/health/ready')).body.details.servers).toEqual({ status: 'up', state: 'in use' });
  },
);
