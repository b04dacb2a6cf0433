import { PlanProbe, collectStatements } from '../support/database/plan-probe.js';
import { TestApp, type ClinicFixture, type TestResponse } from '../support/app/test-app.js';

/*
 * Counts the rows that statements read in a Clinic that is much larger than the others. PostgreSQL plans a prepared
 * statement for a Clinic of average size.
 */

const SESSIONS = 6_000;
const CLIENTS = 600;

let app: TestApp;
let probe: PlanProbe;
let clinic: ClinicFixture;
beforeAll(async () => {
  app = await TestApp.start();
  clinic = await app.createClinic();
  probe = await PlanProbe.open(app);
  // The rows of the small Clinics refer to records that do not exist.
  await probe.client.query('set session_replication_role = replica');
  await insertSmallClinics();
  await insertSessions();
  await probe.client.query('vacuum analyze');
});
afterAll(async () => {
  await probe.close();
  await app.stop();
});

/** Inserts Sessions with two reminders each. */
const INTO_SESSIONS = `sessions as (
    insert into session (clinic_id, series_id, position, caregiver_id, client_id, title, planned_date, planned_time, time_zone,
      duration_minutes, starts_at, ends_at, status, version, created_at, updated_at)
    select clinic_id, series_id, position, caregiver_id, client_id, 'T', '2027-01-01', '10:00', 'UTC', 50, at,
      at + interval '50 minutes', 'SCHEDULED', 1, now(), now() from planned returning *)
  insert into reminder (clinic_id, session_id, caregiver_id, recipient_kind, recipient_id, rule, due_at, send_at, status,
    story, created_at)
  select clinic_id, id, caregiver_id, kind, case kind when 'CLIENT' then client_id else caregiver_id end,
    '{"kind":"AROUND_START","offset":"-P1D"}', starts_at, starts_at, 'PENDING', '[]', now()
  from sessions, unnest(array['CLIENT', 'CARE_PROVIDER']) kind`;

async function insertSmallClinics(): Promise<void> {
  await probe.client.query(`
    with planned as (
      select 1000000 + n % 300 as clinic_id, gen_random_uuid() as series_id, 1 as position, 5000000 + n as caregiver_id, n as client_id,
        timestamptz '2027-01-01' + n * interval '1 hour' as at from generate_series(0, 5999) n), ${INTO_SESSIONS}`);
}

/** Inserts Clients of the first Care Provider, and Sessions for them. */
async function insertSessions(): Promise<void> {
  const { clinicId, careProviderIds } = clinic;
  await probe.client.query(
    `with added as (
       insert into client (clinic_id, name, active, created_at)
       select $1, 'Client', true, now() from generate_series(1, $3::int) returning id
     ), assigned as (
       insert into client_assignment (clinic_id, client_id, care_provider_id, assigned_at)
       select $1, id, $2, now() from added returning client_id
     ), people as (select client_id, row_number() over () - 1 as number from assigned
     ), series as (
       insert into session_series (id, clinic_id, caregiver_id, interval_days, reminders, created_at)
       select gen_random_uuid(), $1, $2, 7, '[]', now() from people returning id
     ), numbered as (select id, row_number() over () - 1 as number from series
     ), planned as (
       select $1 as clinic_id, numbered.id as series_id, n / $3::int + 1 as position, $2 as caregiver_id, client_id,
         timestamptz '2027-01-01' + n * interval '30 minutes' as at
       from generate_series(0, $4::int - 1) n join people on people.number = n % $3::int
         join numbered on numbered.number = people.number), ${INTO_SESSIONS}`.replaceAll(/\$([12])\b/g, '$$$1::bigint'),
    [clinicId, careProviderIds[0], CLIENTS, SESSIONS],
  );
}

/** Executes the statements of a call that match a pattern again. Returns the number of rows that they read. */
async function rowsRead(call: () => Promise<TestResponse>, pattern: RegExp, status = 200): Promise<number> {
  let answer: TestResponse | undefined;
  const statements = await collectStatements(async () => (answer = await call()));
  expect(answer!.status).toBe(status);
  const found = statements.filter(({ text }) => pattern.test(text));
  expect(found.length).toBeGreaterThan(0);
  let total = 0;
  for (const statement of found) {
    const plan = await probe.execute(clinic.clinicId, statement);
    process.stdout.write(`${plan.rowsRead} rows: ${plan.scans.join('; ')}\n`);
    total += plan.rowsRead;
  }
  return total;
}

describe('the details of Sessions', () => {
  it.each([
    ['a list', 'session?include=reminders,conflicts&limit=200'],
    ['a week', 'week?from=2027-02-01'],
  ])('of %s take a few rows of each Session', async (_, path) => {
    for (const [role, token] of [
      ['caregiver', clinic.careProviderToken],
      ['clinic', clinic.clinicToken],
    ] as const) {
      const read = () => app.call('GET', `/gateway/profile/${role}/${path}`, { token });
      expect(await rowsRead(read, /json_agg/)).toBeLessThan(30_000);
    }
  });
});

describe('the reminders of one Client', () => {
  let clientId: number;
  beforeAll(async () => {
    const { rows } = await probe.client.query<{ id: string }>(
      'select max(client_id) as id from session where clinic_id = $1',
      [clinic.clinicId],
    );
    clientId = Number(rows[0]!.id);
  });

  it.each([
    ['time zone', 'PATCH', { timeZone: 'Europe/Berlin' }, 200],
    ['deactivation', 'DELETE', undefined, 204],
  ])('are found without those of others after a change: %s', async (_, method, body, status) => {
    const change = () =>
      app.call(method, `/gateway/profile/clinic/client/${clientId}`, { token: clinic.clinicToken, body });
    expect(await rowsRead(change, /from "reminder" where .*"recipient_kind" =/, status)).toBeLessThan(200);
  });
});

it('the homework reminders of a series are found without those of others when a Session moves', async () => {
  await probe.client.query(`
    insert into reminder (clinic_id, session_id, caregiver_id, homework_id, recipient_kind, recipient_id, rule, due_at, send_at,
      status, story, created_at)
    select clinic_id, id, caregiver_id, id, 'CLIENT', client_id, '{"kind":"HOMEWORK","bookId":1,"reminderDay":2,"time":"20:00","timeZone":"UTC"}',
      starts_at + interval '1 day', starts_at + interval '1 day', 'PENDING', '[]', now()
    from session`);
  await probe.client.query('vacuum analyze reminder');
  const { rows } = await probe.client.query<{ id: string }>(
    `select id from session where clinic_id = $1 and position = 5 order by id limit 1`,
    [clinic.clinicId],
  );
  const path = `/gateway/profile/clinic/session/${rows[0]!.id}`;
  const seen = (await app.call('GET', path, { token: clinic.clinicToken })).headers.get('etag')!;
  const move = () =>
    app.call('PATCH', path, {
      ...{ token: clinic.clinicToken, headers: { 'if-match': seen }, body: { date: '2026/12/31', time: '06:00' } },
    });
  expect(await rowsRead(move, /from "reminder".* any \(select id from session/)).toBeLessThan(200);
});
