import pg from 'pg';
import { composeEnvironment, createComposeAccounts } from '../support/database/compose-accounts.js';
import { startPostgresqlServer, type PostgresqlServer } from '../support/database/postgresql.setup.js';
import { runCommandInProcess } from '../support/process/cli-command.js';
import { ServiceProcess } from '../support/process/service-process.js';
import { waitFor } from '../support/app/test-app.js';

/*
 * Runs the migrations and the service with the accounts that docker-compose.yml creates. The owner of the tables is no
 * superuser, as with most providers of databases; in the other tests it is.
 */

let server: PostgresqlServer;
let superuser: pg.Client;
let instance: ServiceProcess;
beforeAll(async () => {
  server = await startPostgresqlServer(['fsync=off']);
  superuser = new pg.Client({ connectionString: await createComposeAccounts(server.url) });
  await superuser.connect();
});
afterAll(async () => {
  await instance.terminate('SIGKILL');
  await superuser.end();
  await server.stop();
});

const query = async <Row extends object>(statement: string) => (await superuser.query<Row>(statement)).rows;

async function createToken(...words: string[]): Promise<string> {
  const { status, stdout, stderr } = await runCommandInProcess(
    'token',
    words,
    composeEnvironment('service', server.url),
  );
  expect([status, stderr]).toEqual([0, '']);
  return stdout.trim();
}

async function call(method: string, path: string, token: string, body: object) {
  const headers = { authorization: `bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(new URL(path, instance.url), { method, headers, body: JSON.stringify(body) });
  return [response.status, await response.text()];
}

it('migrates as an owner that is no superuser', async () => {
  const { stderr, stdout } = await runCommandInProcess('migrate', [], composeEnvironment('migrate', server.url));
  expect([stderr, stdout]).toEqual(['', expect.stringMatching(/[1-9]\d* migration\(s\) done\n$/s)]);
  const owners = await query(`
    select distinct rolname, rolsuper from pg_class join pg_roles on pg_roles.oid = relowner
    where relnamespace = 'public'::regnamespace`);
  expect(owners).toEqual([{ rolname: 'care_owner', rolsuper: false }]);
});

it('starts the service, whose accounts are no superusers', async () => {
  instance = await ServiceProcess.start({ ...composeEnvironment('service', server.url), AUDIT_CRON: '* * * * * *' });
  const accounts = await query<{ rolname: string }>(`
    select distinct rolname, rolsuper or rolbypassrls or rolcreaterole as mighty from pg_stat_activity
    join pg_roles on rolname = usename where datname = 'care' and pid <> pg_backend_pid()`);
  expect(accounts).toEqual(accounts.map(({ rolname }) => ({ rolname, mighty: false })));
  expect(accounts.length).toBeGreaterThan(0);
});

it('answers a request, and seals its entry of the audit trail', async () => {
  const admin = await createToken('--role', 'ADMIN');
  const clinic = await call('POST', '/gateway/admin/clinic', admin, { name: 'Clinic', timeZone: 'Europe/London' });
  expect(clinic).toEqual([201, expect.any(String)]);
  const token = await createToken('--role', 'CLINIC', '--id', '1');
  const client = await call('POST', '/gateway/profile/clinic/client', token, { name: 'Client' });
  expect(client).toEqual([201, expect.any(String)]);
  await waitFor(async () => {
    const [row] = await query<{ open: number; sealed: number }>(`
      select (select count(*) from audit_unsealed)::int as open, (select sum(entry_count) from audit_seal)::int as sealed`);
    // Two commands and two requests.
    return row!.open === 0 && row!.sealed === 4;
  });
});

it('sends a reminder', async () => {
  await query(`
    insert into care_provider (clinic_id, name, active, created_at) values (1, 'P', true, now());
    insert into session_series (id, clinic_id, caregiver_id, interval_days, reminders, created_at)
      values ('019abcde-0000-7000-8000-000000000000', 1, 1, 7, '[]', now());
    insert into session (clinic_id, series_id, position, caregiver_id, client_id, title, planned_date, planned_time, time_zone,
        duration_minutes, starts_at, ends_at, status, version, created_at, updated_at)
      values (1, '019abcde-0000-7000-8000-000000000000', 1, 1, 1, 'T', '2027-01-01', '10:00', 'Europe/London',
        50, '2027-01-01T10:00Z', '2027-01-01T10:50Z', 'SCHEDULED', 1, now(), now());
    insert into reminder (clinic_id, session_id, caregiver_id, recipient_kind, recipient_id, rule, due_at, send_at, status, story,
        created_at)
      values (1, 1, 1, 'CLIENT', 1, '{"kind":"REMIND_DAYS","days":0}', now(), now(), 'PENDING', '[]', now())`);
  await waitFor(async () => (await query<{ status: string }>('select status from reminder'))[0]!.status === 'SENT');
  await waitFor(() => instance.deliveredMessageIds.length === 1);
});
