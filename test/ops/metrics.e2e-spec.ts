import { jest } from '@jest/globals';
import { MikroORM, type EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { MetricsServer } from '../../src/ops/index.js';
import { LogChannel, ReminderDispatcher, ReminderQueue, UndeliverableError } from '../../src/reminder/index.js';
import { Scheduler } from '../../src/scheduler/index.js';
import { forkForActor } from '../../src/shared/persistence/index.js';
import {
  METRICS_CONTENT_TYPE,
  parseSamples,
  scrapeMetrics,
  findSampleValue,
  waitForMetrics,
} from '../support/operations/metrics.js';
import { TestApp, type ClinicFixture } from '../support/app/test-app.js';

/*
 * Tests the metrics of reminders, the audit trail and idempotency keys, access to `/metrics`, and that metrics contain
 * no personal data.
 */

const TOKEN = 'Wq7hT2zXk9RvNc4mLs8D';

let app: TestApp;
let clinic: ClinicFixture;
beforeAll(async () => {
  app = await TestApp.start({ rawVariables: { METRICS_TOKEN: TOKEN } });
  clinic = await app.createClinic();
});
afterAll(() => app.stop());

/** Creates a Session with reminders that are due at once, for the Client and for the Care Provider. */
async function createDue(): Promise<void> {
  const body = { clientId: clinic.clientIds[0], title: 'T', date: '2027/03/01', time: '09:30', remindDays: 0 };
  const call = { token: clinic.careProviderToken, body };
  expect((await app.call('POST', '/gateway/profile/caregiver/session', call)).status).toBe(201);
}

const outcome = (name: string, channel = 'NONE', reason = 'NONE') =>
  ['scheduling_reminder_outcomes_total', { outcome: name, channel, reason }] as const;

describe('metrics of reminders', () => {
  it('count due reminders and have the age of the oldest', async () => {
    await createDue();
    app.clock.advance({ minutes: 3 });
    const samples = await waitForMetrics(app, (now) => findSampleValue(now, 'scheduling_reminders_due') === 2);
    expect(findSampleValue(samples, 'scheduling_reminders_due_oldest_age_seconds')).toBe(180);
    expect(findSampleValue(samples, 'scheduling_database_up')).toBe(1);
    expect(findSampleValue(samples, 'scheduling_database_read_only')).toBe(0);
    expect(findSampleValue(samples, 'scheduling_metrics_complete')).toBe(1);
  });

  it('count sent reminders and their lateness after the commit', async () => {
    await app.deliverDueReminders();
    const samples = await scrapeMetrics(app);
    expect(findSampleValue(samples, ...outcome('queued'))).toBe(2);
    expect(findSampleValue(samples, ...outcome('sent', 'LOG'))).toBe(2);
    expect(findSampleValue(samples, 'scheduling_reminder_lateness_seconds_sum')).toBe(360);
    expect(findSampleValue(samples, 'scheduling_reminder_lateness_seconds_bucket', { le: '120' })).toBe(0);
    expect(findSampleValue(samples, 'scheduling_reminder_lateness_seconds_bucket', { le: '300' })).toBe(2);
    expect(findSampleValue(samples, 'scheduling_reminder_last_dispatch_timestamp_seconds')).toBe(
      app.clock.now().epochMilliseconds / 1000,
    );
  });

  it('do not count a transaction that is rolled back', async () => {
    await createDue();
    const queue = app.nest.get(ReminderQueue);
    const insert = jest.spyOn(queue, 'insert').mockRejectedValueOnce(new Error('the queue fails'));
    await expect(app.nest.get(ReminderDispatcher).dispatchDue()).rejects.toThrow('the queue fails');
    insert.mockRestore();
    expect(findSampleValue(await scrapeMetrics(app), ...outcome('queued'))).toBe(2);
  });

  it('count dead letters by reason', async () => {
    const channel = app.nest.get(LogChannel);
    const deliver = channel.deliver.bind(channel);
    channel.deliver = async () => {
      throw new UndeliverableError('the address of client@example.org is wrong');
    };
    await app.deliverDueReminders();
    channel.deliver = deliver;
    const samples = await waitForMetrics(app, (now) => findSampleValue(now, 'scheduling_reminders_dead') === 2);
    expect(findSampleValue(samples, ...outcome('dead', 'NONE', 'UNDELIVERABLE'))).toBe(2);
    expect(findSampleValue(samples, ...outcome('dead', 'NONE', 'LATENESS_REACHED'))).toBe(0);
    expect(findSampleValue(samples, 'scheduling_reminders_due')).toBe(0);
    expect(findSampleValue(samples, 'scheduling_reminders_due_oldest_age_seconds')).toBe(0);
  });
});

it('has the age of unsealed audit entries and the number of expired idempotency keys', async () => {
  const key = { 'idempotency-key': 'one' };
  const call = { token: clinic.clinicToken, body: { name: 'Robin Example' }, headers: key };
  expect((await app.call('POST', '/gateway/profile/clinic/client', call)).status).toBe(201);
  // Stops the jobs that delete expired keys and seal audit entries every five minutes.
  const scheduler = app.nest.get(Scheduler);
  await scheduler.stop();
  app.clock.advance({ hours: 25 });
  const expired = 'scheduling_idempotency_keys_expired';
  const samples = await waitForMetrics(app, (now) => findSampleValue(now, expired) === 1);
  expect(findSampleValue(samples, `${expired}_oldest_age_seconds`)).toBe(3_600);
  expect(findSampleValue(samples, 'scheduling_audit_unsealed')).toBeGreaterThanOrEqual(3);
  expect(findSampleValue(samples, 'scheduling_audit_unsealed_oldest_age_seconds')).toBe(25 * 3_600 + 180);
  scheduler.start();
});

it('has the last success, duration and failures of each job', async () => {
  const samples = await scrapeMetrics(app);
  const tasks = new Set(
    samples.flatMap(({ name, labels }) => (name === 'scheduling_task_runs_total' ? labels['task'] : [])),
  );
  expect([...tasks]).toEqual(expect.arrayContaining(['reminder-dispatch', 'reminder-sweep', 'audit-seal']));
  expect(findSampleValue(samples, 'scheduling_task_stalled', { task: 'reminder-dispatch' })).toBe(0);
  expect(findSampleValue(samples, 'scheduling_revocation_list_age_seconds')).toBeGreaterThan(0);
});

/** A login besides that of requests adds a pool. */
const SAMPLES_PER_POOL = 4;
/** A job has two more samples once it has run, which depends on the time that the tests before take. */
const SAMPLES_PER_JOB = 7;

it('has only labels with a fixed set of values', async () => {
  const all = await scrapeMetrics(app);
  const own = all.filter(({ name }) => name.startsWith('scheduling_'));
  // The default metrics of prom-client have no labels with data of the service.
  const others = all.filter((one) => !own.includes(one) && !/^(process|nodejs)_/.test(one.name));
  expect(others.filter(({ name }) => !name.startsWith('http_request_duration_seconds_'))).toEqual([]);
  const ofRequests = ['method', 'route', 'status', 'le'];
  expect(others.flatMap(({ labels }) => Object.keys(labels)).filter((label) => !ofRequests.includes(label))).toEqual(
    [],
  );
  const values = (label: string) => new Set(own.flatMap(({ labels }) => labels[label] ?? []));
  expect(new Set(own.flatMap(({ labels }) => Object.keys(labels)))).toEqual(
    new Set([
      'kind',
      'outcome',
      'channel',
      'reason',
      'le',
      'queue',
      'state',
      'task',
      'version',
      ...(values('pool').size > 0 ? ['pool'] : []),
    ]),
  );
  expect(values('channel')).toEqual(new Set(['NONE', 'EMAIL', 'WEBHOOK', 'LOG']));
  expect(values('queue')).toEqual(
    new Set(['reminder', 'reminder-email', 'reminder-webhook', 'reminder-log', 'reminder-dead']),
  );
  const subjects = ['CLIENT', 'CARE_PROVIDER', 'CLINIC'];
  expect(values('kind')).toEqual(
    new Set(['sessions', 'homework', 'reminders', 'audit', 'token', 'holder', ...subjects]),
  );
  expect(values('version')).toEqual(new Set([process.versions['tz']]));
  const { database } = app.environment;
  const logins = database.kind === 'postgresql' ? Object.keys(database.logins ?? {}) : [];
  const jobs = app.nest.get(Scheduler).listJobStatuses();
  expect(values('task')).toEqual(new Set(jobs.map(({ name }) => name)));
  const ofJobs = own.filter(({ labels }) => 'task' in labels);
  expect(ofJobs.length).toBeLessThanOrEqual(SAMPLES_PER_JOB * jobs.length);
  // Raise this bound by the number of samples of a new metric.
  expect(own.length - ofJobs.length).toBeLessThan(97 + SAMPLES_PER_POOL * logins.length);
});

it('uses a role that cannot read names, Clinics or ids of reminders, and cannot write', async () => {
  const orm = app.nest.get(MikroORM);
  const read = (statement: string) =>
    forkForActor(orm.em as EntityManager, { role: 'MONITORING' }).transactional((em) =>
      sql.raw(statement).execute((em as SqlEntityManager).getKysely()),
    );
  for (const statement of [
    'select name from client',
    'select name from clinic',
    'select clinic_id from reminder',
    'select recipient_id from reminder',
    'select actor_subject from audit_entry',
    'select caller from idempotency_key',
    'select data from pgboss.job',
    `update reminder set status = 'SENT'`,
    'delete from idempotency_key',
  ]) {
    await expect(read(statement)).rejects.toMatchObject({ code: '42501' });
  }
});

it.each([
  ['no token', async () => undefined],
  ['another token', async () => 'another-secret-of-scrapers'],
  ['the beginning of the token', async () => TOKEN.slice(0, -1)],
  ['a token of the API', () => app.createToken('ADMIN')],
])('are refused with %s if METRICS_TOKEN is set', async (_, tokenOf) => {
  const token = await tokenOf();
  const answer = await app.call('GET', '/metrics', token === undefined ? {} : { token });
  expect(answer.status).toBe(401);
  expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
  expect(answer.text).not.toMatch(/scheduling_/);
});

describe('METRICS_PORT', () => {
  let apart: TestApp;
  let url: string;
  beforeAll(async () => {
    apart = await TestApp.start({ rawVariables: { METRICS_PORT: '0', METRICS_TOKEN: TOKEN } });
    url = `http://127.0.0.1:${await apart.nest.get(MetricsServer).listen()}`;
  });
  afterAll(() => apart.stop());

  it('serves only metrics', async () => {
    const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, METRICS_CONTENT_TYPE]);
    expect(findSampleValue(parseSamples(await answer.text()), 'scheduling_database_up')).toBe(1);
    for (const [path, status] of [
      ['/metrics', 401],
      ['/health/ready', 404],
    ] as const) {
      const refused = await fetch(`${url}${path}`);
      expect([path, refused.status, refused.headers.get('content-type')]).toEqual([
        path,
        status,
        expect.stringMatching(/^application.problem.json/),
      ]);
      expect(refused.headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  it('removes metrics from the API and from its document', async () => {
    expect((await apart.call('GET', '/metrics')).status).toBe(404);
    const { paths } = (await apart.call('GET', '/openapi.json')).body;
    expect(Object.keys(paths)).toContain('/health/ready');
    expect(Object.keys(paths)).not.toContain('/metrics');
  });
});
