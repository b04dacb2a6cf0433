import { spawnSync } from 'node:child_process';
import { sql } from 'kysely';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AuditRetention, AuditSealer } from '../../src/audit/index.js';
import { RetentionRun } from '../../src/retention/index.js';
import { Scheduler } from '../../src/scheduler/index.js';
import { ZoneDataRecomputation } from '../../src/zone-data/index.js';
import { TestApp, testEnvironment, type ClinicFixture } from '../support/app/test-app.js';
import { allowEarlyRetirement } from '../support/database/audit-retention.js';
import { commandVariablesOf, runCommandOf } from '../support/operations/moving-clinic.js';

/* Jobs and commands of the installation while one of its Clinics is being moved, and after the move was cancelled. */

const CLINIC = '/gateway/profile/clinic';

let app: TestApp;
let clinic: ClinicFixture;
let neighbour: ClinicFixture;
const directory = mkdtempSync(join(tmpdir(), 'move-jobs-'));
beforeAll(async () => {
  const bounds = { RETENTION_MINIMUM: 'audit=P1Y', RETENTION_DEFAULT: 'audit=P1Y' };
  app = await TestApp.start({ rawVariables: { ...testEnvironment.rawVariables, ...bounds } });
  await app.nest.get(Scheduler).stop('zone-data');
  await allowEarlyRetirement(app);
});
afterAll(async () => {
  await app.stop();
  rmSync(directory, { recursive: true });
});
beforeEach(async () => {
  app.clock.set('2026-11-21T10:00:00Z');
  clinic = await app.createClinic('America/New_York');
  neighbour = await app.createClinic('America/New_York');
});

let files = 0;
async function close(): Promise<void> {
  const key = join(directory, `key-${(files += 1)}`);
  const { stdout: recipient } = await runCommandOf(app, 'import-clinic', '--new-identity', key);
  const words = ['--recipient', recipient.trim(), '--output', join(directory, `clinic-${files}`)];
  expect(await exportClinic(...words)).toMatchObject({ status: 0, stderr: '' });
}
const cancel = async () => expect(await exportClinic('--cancel')).toMatchObject({ status: 0, stderr: '' });
const exportClinic = (...words: string[]) =>
  runCommandOf(app, 'export-clinic', '--clinic', String(clinic.clinicId), ...words);

it('removes no audit entries of the Clinic, which has chosen to keep them', async () => {
  const body = { audit: 'UNLIMITED' };
  expect((await app.call('PUT', `${CLINIC}/retention`, { token: clinic.clinicToken, body })).status).toBe(200);
  await app.call('GET', `${CLINIC}/session`, { token: neighbour.clinicToken });
  await app.nest.get(AuditSealer).seal();
  const count = async ({ clinicId }: ClinicFixture) => {
    const entries = sql`select from audit_entry where clinic_id = ${clinicId} and actor_role <> 'COMMAND' and at < '2027-01-01'`;
    return (await app.queryRows(entries)).length;
  };
  const before = await count(clinic);
  expect([before, await count(neighbour)]).toEqual([1, 1]);
  await close();
  app.clock.set('2029-06-01T10:00:00Z');
  await app.nest.get(AuditRetention).ensurePartitions();
  expect(await app.nest.get(RetentionRun).removeExpired()).toMatchObject({ partitions: 0 });
  expect([await count(clinic), await count(neighbour)]).toEqual([1, 0]);
  await cancel();
  await app.nest.get(RetentionRun).removeExpired();
  expect(await count(clinic)).toBe(1);
});

it('recomputes the instants of the Clinic with new time zone data as soon as it is open again', async () => {
  for (const { clientIds, careProviderToken: token } of [clinic, neighbour]) {
    const body = { clientId: clientIds[0], title: 'T', date: '2026/12/01', time: '10:00', reminders: ['-P1D'] };
    expect((await app.call('POST', '/gateway/profile/caregiver/session', { token, body })).status).toBe(201);
  }
  // With the older data, all times are an hour later. In New York, 10:00 is 15:00 in UTC.
  const later = (column: string) => sql.raw(`${column} = ${column} + interval '1 hour'`);
  await app.queryRows(sql`update session set ${later('starts_at')}, ${later('ends_at')}`);
  await app.queryRows(sql`update reminder set ${later('due_at')}, ${later('send_at')}`);
  await app.queryRows(sql`insert into zone_data (version, started_at, finished_at) values ('1999a', now(), now())`);
  const read = async ({ clinicId }: ClinicFixture) => {
    const hour = (column: string) => sql.raw(`to_char(${column} at time zone 'UTC', 'HH24')`);
    const [times] = await app.queryRows(sql<{ start: string; due: string }>`
      select (select ${hour('starts_at')} from session where clinic_id = ${clinicId}) as start,
        (select distinct ${hour('due_at')} from reminder where clinic_id = ${clinicId}) as due`);
    return times;
  };
  const recomputation = app.nest.get(ZoneDataRecomputation);
  await close();
  await recomputation.adopt(true);
  await recomputation.recompute(() => undefined);
  expect([await read(clinic), await read(neighbour)]).toEqual([
    { start: '16', due: '16' },
    { start: '15', due: '15' },
  ]);
  await cancel();
  await recomputation.recompute(() => undefined);
  expect([await read(clinic), await read(neighbour)]).toEqual([
    { start: '15', due: '15' },
    { start: '15', due: '15' },
  ]);
});

it('the dry run of new time zone data reads no encrypted text, because the command has no keys', async () => {
  // A process of its own, because the tests have no log.
  const env = { ...process.env, ...commandVariablesOf(app) };
  const command = ['dist/src/cli/tzdata.js', '--dry-run'];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { env, encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/\ndry run: \d+ Session/);
  expect(stdout).not.toContain('decrypted');
});

it('encrypts the rows of other Clinics, and reports those that it leaves out', async () => {
  // With TEST_ENCRYPTION=off, the command has no keys.
  if (commandVariablesOf(app)['ENCRYPTION_KEYS'] === undefined) return;
  // The name of an erased Client is not encrypted.
  await app.queryRows(sql`
    insert into client (clinic_id, name, active, erased_at, created_at) values (${clinic.clinicId}, 'Erased', false, now(), now())`);
  for (const { clinicId } of [clinic, neighbour])
    await app.queryRows(sql`
      insert into care_provider (clinic_id, name, active, created_at) values (${clinicId}, 'In clear', true, now())`);
  await close();
  expect(await runCommandOf(app, 'encrypt-rows')).toEqual({
    status: 0,
    stdout: '1 row(s) encrypted\n1 row(s) of Clinics that are being moved were left out: run it again afterwards\n',
    stderr: '',
  });
  const clear = await app.queryRows(sql`select clinic_id::int as id from care_provider where name = 'In clear'`);
  expect(clear).toEqual([{ id: clinic.clinicId }]);
  await cancel();
  expect(await runCommandOf(app, 'encrypt-rows')).toMatchObject({ status: 0, stdout: '1 row(s) encrypted\n' });
});
