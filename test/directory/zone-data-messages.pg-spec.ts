import pg from 'pg';
import { setTimeout as delay } from 'node:timers/promises';
import { signToken } from '../../src/auth/index.js';
import type { Role } from '../../src/shared/access/index.js';
import { testEnvironment } from '../support/app/test-environment.js';
import { waitFor } from '../support/app/test-app.js';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';
import { insertWinnipegClinic } from '../support/operations/winnipeg-clinic.js';
import { ServiceProcess } from '../support/process/service-process.js';
import { TestSmtpServer } from '../support/reminder/smtp-server.js';

/*
 * Tests that messages have the right local time while instances with older and newer time zone data run. By the newer
 * data of the fixtures, clocks in Winnipeg are an hour ahead of those of the older data.
 */

const OLDER = 'test/fixtures/zone-data/2026a';
const NEWER = 'test/fixtures/zone-data/2026e';
const EVERY_SECOND = '* * * * * *';
const NEVER = '0 0 1 1 *';

let smtp: TestSmtpServer;
let database: TestDatabase;
let client: pg.Client;
const instances: ServiceProcess[] = [];
beforeEach(async () => {
  smtp = await TestSmtpServer.start();
  database = await createTestDatabase('postgresql');
  if (database.environment.kind !== 'postgresql') throw new Error('needs a server');
  client = new pg.Client({ connectionString: database.environment.migrationUrl });
  await client.connect();
  await insertWinnipegClinic(client);
});
afterEach(async () => {
  await Promise.all(instances.splice(0).map((instance) => instance.terminate('SIGKILL')));
  await client.end();
  await database.drop();
  await smtp.stop();
});

async function start(ICU_TIMEZONE_FILES_DIR: string, REMINDER_CRON: string): Promise<ServiceProcess> {
  if (database.environment.kind !== 'postgresql') throw new Error('needs a server');
  const mail = { SMTP_URL: smtp.url, MAIL_FROM: 'Clinic <no-reply@example.org>' };
  const variables = { DATABASE_URL: database.environment.url, ...mail, REMINDER_CRON, ICU_TIMEZONE_FILES_DIR };
  const instance = await ServiceProcess.start(variables);
  instances.push(instance);
  return instance;
}

async function send(instance: ServiceProcess, role: Role, method: string, path: string, body: object): Promise<number> {
  const token = await signToken(testEnvironment.token, { role, id: 1 });
  const headers = { authorization: `bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(`${instance.url}${path}`, { method, headers, body: JSON.stringify(body) });
  return response.status;
}

/**
 * Creates a Session in January at 10:00, with a reminder that is due soon.
 *
 * @param offset offset of Winnipeg in winter by the data of the instance
 */
async function createSession(instance: ServiceProcess, offset: string, dueInSeconds: number): Promise<void> {
  const now = Temporal.Now.instant();
  const [year, day] = [Temporal.Now.plainDateISO().year, Temporal.PlainMonthDay.from('01-20')];
  const date = [year, year + 1].map((each) => day.toPlainDate({ year: each })).find((each) => isAhead(each))!;
  const start = date.toPlainDateTime('10:00').toZonedDateTime(offset).toInstant();
  const seconds = Math.round(start.since(now).total('seconds')) - dueInSeconds;
  const session = { clientId: 1, title: 'T', date: date.toString().replaceAll('-', '/'), time: '10:00' };
  const body = { ...session, reminders: [`-PT${seconds}S`] };
  expect(await send(instance, 'CARE_PROVIDER', 'POST', '/gateway/profile/caregiver/session', body)).toBe(201);
}

function isAhead(date: Temporal.PlainDate): boolean {
  return Temporal.PlainDate.compare(date, Temporal.Now.plainDateISO().add({ days: 2 })) > 0;
}

const timesInMails = () => smtp.mails.map(({ raw }) => /appointment on [^.]*?(\d\d:\d\d)/.exec(raw)?.[1]);
const readReplanningRequests = async () => (await client.query<object>('select * from reminder_replanning')).rows;

it('an instance with older data sends nothing and replans nothing, and leaves both to one with newer data', async () => {
  const older = await start(OLDER, EVERY_SECOND);
  const newer = await start(NEWER, NEVER);
  await waitFor(async () => (await fetch(`${older.url}/health/ready`)).status === 503);
  await createSession(newer, '-05:00', 5);
  const hour = Temporal.Now.zonedDateTimeISO('America/Chicago').hour;
  const [from, to] = [3, 4].map((ahead) => `${String((hour + ahead) % 24).padStart(2, '0')}:00`);
  const preference = { quietHours: { from, to } };
  expect(await send(newer, 'CLINIC', 'PUT', '/gateway/profile/clinic/reminder-preference', preference)).toBe(200);
  await newer.terminate('SIGKILL');
  const requests = await readReplanningRequests();
  expect(requests).toHaveLength(1);
  // The older instance looks for due reminders every second, and for requests every five seconds.
  await delay(12_000);
  expect([smtp.mails.length, await readReplanningRequests()]).toEqual([0, requests]);
  await start(NEWER, EVERY_SECOND);
  await waitFor(() => smtp.mails.length > 0);
  expect(timesInMails()).toEqual(['10:00']);
});

it('an instance with newer data sends the right time before the Session is recomputed', async () => {
  const older = await start(OLDER, NEVER);
  await createSession(older, '-06:00', 12);
  await older.terminate('SIGKILL');
  // Keeps the newer instance from recomputing the Session, as if it came after those of many other Clinics.
  await client.query('begin');
  await client.query('select from session_series for update');
  await start(NEWER, EVERY_SECOND);
  await waitFor(() => smtp.mails.length > 0);
  await client.query('commit');
  expect(timesInMails()).toEqual(['10:00']);
});
