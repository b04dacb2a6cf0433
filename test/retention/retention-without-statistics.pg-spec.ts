import { sql } from 'kysely';
import { RetentionRun } from '../../src/retention/index.js';
import { Scheduler } from '../../src/scheduler/index.js';
import { Session } from '../../src/session/index.js';
import { TestApp, testEnvironment } from '../support/app/test-app.js';

/*
 * Tests retention in a database whose tables have no statistics yet, as after a restore. PostgreSQL then expects one row
 * in each table, so that any order of joins seems to be equally good.
 */

const BOUNDS = { RETENTION_MINIMUM: 'sessions=P30D,homework=P7D,reminders=P7D,audit=P1Y' };
const TABLES = ['session_series', 'session', 'homework', 'reminder'];
const SERIES = 3;
const SESSIONS_OF_SERIES = 25;

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start({ rawVariables: { ...testEnvironment.rawVariables, ...BOUNDS } });
  await app.nest.get(Scheduler).stop();
  for (const table of TABLES)
    await app.queryRows(sql`alter table ${sql.table(table)} set (autovacuum_enabled = false)`);
});
afterAll(() => app.stop());

it('counts the rows that it would remove, and removes them', async () => {
  app.clock.set('2026-01-05T10:00:00Z');
  const clinic = await app.createClinic();
  const [clientId] = clinic.clientIds;
  const series = { clientId, title: 'T', date: '2026/01/06', time: '09:30', sessionCount: SESSIONS_OF_SERIES };
  for (let number = 0; number < SERIES; number += 1) {
    const body = { ...series, remindDays: 1, bookIdList: [clinic.ownBookId] };
    const token = clinic.careProviderToken;
    expect((await app.call('POST', '/gateway/profile/caregiver/session', { token, body })).status).toBe(201);
  }
  await app.asSuperuser((em) => em.nativeUpdate(Session, { clinicId: clinic.clinicId }, { status: 'COMPLETED' }));
  await app.queryRows(sql`update reminder set status = 'SENT', settled_at = due_at`);
  app.clock.set('2027-11-21T10:00:00Z');
  const body = { sessions: 'P1Y', homework: 'P7D', reminders: 'P8D' };
  const put = async (query: string) => {
    const answer = await app.call('PUT', `/gateway/profile/clinic/retention${query}`, {
      token: clinic.clinicToken,
      body,
    });
    expect(answer.status).toBe(200);
    return [answer.body.sessions.removable, answer.body.homework.removable, answer.body.reminders.removable];
  };
  const all = SERIES * SESSIONS_OF_SERIES;
  expect(await put('?dryRun=true')).toEqual([all, all, 2 * all]);
  expect(await put('')).toEqual([all, all, 2 * all]);
  await app.nest.get(RetentionRun).removeExpired();
  expect(await app.asSuperuser((em) => em.count(Session, { clinicId: clinic.clinicId }))).toBe(0);
});
