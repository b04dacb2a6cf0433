import { LockMode } from '@mikro-orm/core';
import { sql } from 'kysely';
import { AuditRetention, AuditSealer } from '../../src/audit/index.js';
import { ERASURE_JOB } from '../../src/erasure/run/erasure.job.js';
import { Reminder } from '../../src/reminder/index.js';
import { RetentionRun } from '../../src/retention/index.js';
import { Scheduler } from '../../src/scheduler/index.js';
import { SessionRetention } from '../../src/session/index.js';
import { SessionExportSource } from '../../src/session/export/session-export.source.js';
import { TestApp, testEnvironment, waitFor, type ClinicFixture } from '../support/app/test-app.js';
import { allowEarlyRetirement } from '../support/database/audit-retention.js';
import { interceptStatements } from '../support/database/statement-interceptor.js';

/*
 * Tests requests that arrive while retention or an erasure removes data: what an answer says is kept is not removed
 * afterwards, and an export that misses removed records is not complete.
 */

const CLINIC = '/gateway/profile/clinic';
const BOUNDS = {
  RETENTION_MINIMUM: 'sessions=P1Y,homework=P6M,reminders=P1M,audit=P1Y',
  RETENTION_DEFAULT: 'audit=P20Y',
};

let app: TestApp;
let clinic: ClinicFixture;
beforeAll(async () => {
  app = await TestApp.start({ rawVariables: { ...testEnvironment.rawVariables, ...BOUNDS } });
  await app.nest.get(Scheduler).stop(ERASURE_JOB);
  await allowEarlyRetirement(app);
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.clock.set('2026-11-21T10:00:00Z');
  await app.queryRows(sql`delete from retention_setting`);
  clinic = await app.createClinic();
});

const call = (method: string, path: string, body?: object, { clinicToken: token } = clinic) =>
  app.call(method, `${CLINIC}${path}`, { token, ...(body && { body }) });
const removeExpired = () => app.nest.get(RetentionRun).removeExpired();

async function choose(periods: object, owner = clinic) {
  const answer = await call('PUT', '/retention', periods, owner);
  expect(answer.status).toBe(200);
  return answer.body;
}

async function book(owner = clinic, change: object = {}): Promise<void> {
  const body = {
    clientId: owner.clientIds[0],
    title: 'T',
    date: '2026/12/01',
    time: '09:30',
    sessionCount: 3,
    ...change,
  };
  const answer = await app.call('POST', '/gateway/profile/caregiver/session', { token: owner.careProviderToken, body });
  expect(answer.status).toBe(201);
}

async function countRows(table: 'session' | 'reminder' | 'audit_entry', { clinicId } = clinic): Promise<number> {
  const [row] = await app.queryRows(sql<{ count: number }>`
    select count(*)::int as count from ${sql.table(table)} where clinic_id = ${clinicId}`);
  return row!.count;
}

/** Calls work once, before a method of a service is called, and afterwards restores the method. */
function beforeCallOf<Service extends object>(
  service: Service,
  method: keyof Service,
  work: () => Promise<void>,
): void {
  const original = service[method] as (...parameters: unknown[]) => Promise<unknown>;
  service[method] = (async (...parameters: unknown[]) => {
    service[method] = original as Service[keyof Service];
    await work();
    return original.apply(service, parameters);
  }) as Service[keyof Service];
}

it('keeps the Sessions of a Clinic that has chosen a longer period since the run began', async () => {
  const other = await app.createClinic();
  for (const owner of [clinic, other]) {
    await choose({ sessions: 'P1Y' }, owner);
    await book(owner);
  }
  app.clock.set('2028-12-03T10:00:00Z');
  // The run begins with the Clinic that has the lower ID.
  beforeCallOf(app.nest.get(SessionRetention), 'removeBatch', async () => {
    expect(await choose({ sessions: 'P10Y' }, other)).toMatchObject({ sessions: { removable: 0 } });
  });
  await removeExpired();
  expect([await countRows('session'), await countRows('session', other)]).toEqual([0, 3]);
});

it('keeps the audit trail of a Clinic that has chosen a longer period since the run began', async () => {
  await choose({ audit: 'P1Y' });
  await app.nest.get(AuditSealer).seal();
  app.clock.set('2028-12-03T10:00:00Z');
  await app.nest.get(AuditSealer).seal();
  const findOld = () =>
    app.queryRows(
      sql`select id from audit_entry where clinic_id = ${clinic.clinicId} and at < '2027-01-01Z' order by id`,
    );
  const old = await findOld();
  beforeCallOf(app.nest.get(AuditRetention), 'retire', async () => {
    await choose({ audit: 'P10Y' });
  });
  await removeExpired();
  expect([old.length, await findOld()]).toEqual([1, old]);
});

it('answers a legal hold after the batch that does not know it', async () => {
  await choose({ sessions: 'P1Y' });
  await book();
  app.clock.set('2028-12-03T10:00:00Z');
  let countAtAnswer: Promise<number> | undefined;
  const untap = await interceptStatements(app, {
    before: async (statement) => {
      if (countAtAnswer !== undefined || !/^\s*delete from "?session"? /.test(statement)) return;
      const hold = call('PUT', `/client/${clinic.clientIds[0]}/legal-hold`, { reason: 'LITIGATION' });
      countAtAnswer = hold.then(({ status }) => (status === 200 ? countRows('session') : -1));
      await Promise.race([countAtAnswer, new Promise((resolve) => setTimeout(resolve, 200))]);
    },
  });
  await removeExpired();
  untap();
  expect(await countAtAnswer).toBe(await countRows('session'));
});

it('does not remove a reminder that is sent again', async () => {
  await choose({ reminders: 'P1M' });
  await book(clinic, { sessionCount: 1, reminders: ['-P1D'] });
  await app.queryRows(sql`
    update reminder set status = 'DEAD', reason = 'LATENESS_REACHED', settled_at = '2026-12-01T00:00:00Z'
    where clinic_id = ${clinic.clinicId}`);
  app.clock.set('2027-03-01T10:00:00Z');
  let redriven: Promise<number> | undefined;
  const untap = await interceptStatements(app, {
    before: async (statement) => {
      if (redriven !== undefined || !/select id::text from session where clinic_id/.test(statement)) return;
      redriven = call('POST', '/reminder/redrive?status=DEAD', {}).then(({ body }) => body.redriven);
      await Promise.race([redriven, new Promise((resolve) => setTimeout(resolve, 200))]);
    },
  });
  await removeExpired();
  untap();
  expect(await redriven).toBe(await countRows('reminder'));
});

it('locks reminders in the order of their ids, as requests do', async () => {
  await choose({ reminders: 'P1M' });
  await book(clinic, { reminders: ['-P1D'] });
  app.clock.set('2027-03-01T10:00:00Z');
  const ofClinic = sql`from reminder where clinic_id = ${clinic.clinicId}`;
  const set = sql`update reminder set status = 'WITHDRAWN', reason = 'SESSION_CANCELLED'`;
  await app.queryRows(sql`${set} where clinic_id = ${clinic.clinicId}`);
  // The first reminder is the last one of the table and of an index on the Sessions.
  const [ids] = await app.queryRows(sql<{ first: string; last: string }>`
    select min(id)::text as first, max(id)::text as last ${ofClinic}`);
  await app.queryRows(sql`
    update reminder set session_id = (select max(session_id) ${ofClinic}) where id = ${ids!.first}`);
  const count = await countRows('reminder');
  let removed: Promise<unknown> | undefined;
  await app.asSuperuser(async (em) => {
    await em.find(Reminder, { id: Number(ids!.first) }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    removed = removeExpired().catch((error: unknown) => error);
    await waitFor(async () => {
      const waiting = await app.queryRows(sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
      return waiting.length > 0;
    });
    await em.find(Reminder, { id: Number(ids!.last) }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  });
  expect(await removed).toMatchObject({ reminders: count });
});

describe('an export of a Client is not complete', () => {
  const readExport = () => call('GET', `/client/${clinic.clientIds[0]}/export`);

  it('if retention removes Sessions while it is read', async () => {
    await book();
    await choose({ sessions: 'P1Y' });
    app.clock.set('2028-12-03T10:00:00Z');
    beforeCallOf(app.nest.get(SessionExportSource), 'readSessions', async () => {
      await removeExpired();
    });
    await expect(readExport()).rejects.toThrow('terminated');
    expect((await readExport()).body).toMatchObject({ series: [], isComplete: true });
  });

  it.each([0, 3])('if the Client is erased while it is read, with %i Sessions', async (sessionCount) => {
    if (sessionCount > 0) await book(clinic, { sessionCount });
    const erasure = `/client/${clinic.clientIds[0]}/erasure`;
    const { id } = (await call('POST', erasure, { reason: 'SUBJECT_REQUEST' })).body;
    app.clock.advance({ hours: 1 });
    beforeCallOf(app.nest.get(SessionExportSource), 'readSeries', async () => {
      expect((await call('POST', `${erasure}/${id}/confirmation`)).status).toBe(200);
      await app.nest.get(Scheduler).run(ERASURE_JOB);
    });
    await expect(readExport()).rejects.toThrow('terminated');
  });
});

it('an export of the audit trail is not complete if retention removes entries in its middle', async () => {
  for (let count = 0; count < 150; count += 1) expect((await call('GET', '/client')).status).toBe(200);
  await app.nest.get(AuditSealer).seal();
  await choose({ audit: 'P1Y' });
  app.clock.set('2028-12-03T10:00:00Z');
  await call('GET', '/client');
  await app.nest.get(AuditSealer).seal();
  let pages = 0;
  const untap = await interceptStatements(app, {
    before: async (statement) => {
      if (!/from "?audit_entry"? .*order by .* asc/.test(statement) || /offset/.test(statement)) return;
      pages += 1;
      if (pages === 2) await removeExpired();
    },
  });
  await expect(call('GET', '/audit/export')).rejects.toThrow('terminated');
  untap();
  expect(pages).toBe(2);
  expect((await call('GET', '/audit/export')).status).toBe(200);
});
