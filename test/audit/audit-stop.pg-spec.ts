import { sql } from 'kysely';
import type pg from 'pg';
import { connectAsOwner } from '../support/database/owner-connection.js';
import { TestApp, waitFor, type ClinicFixture } from '../support/app/test-app.js';

/* Tests what an instance seals when it stops. */

let app: TestApp;
let clinic: ClinicFixture;
let other: pg.Client;
beforeEach(async () => {
  app = await TestApp.start({ auditCron: '0 0 0 1 1 *' });
  clinic = await app.createClinic();
  other = await connectAsOwner(app.environment.database);
});
afterEach(async () => {
  await other.end();
  await app.stop();
});

const readSessions = () => app.call('GET', '/gateway/profile/clinic/session', { token: clinic.clinicToken });
const unsealed = () => app.queryRows(sql`select from audit_unsealed`);
const close = () => app.nest.getHttpAdapter().getInstance().close();

it('waits for another instance that is sealing, and has not seen the last entries', async () => {
  await readSessions();
  await other.query('begin');
  await other.query('select pg_advisory_xact_lock(47112027)');
  let isClosed = false;
  const closed = close().then(() => (isClosed = true));
  const waiting = sql`
    select from pg_locks join pg_database on pg_database.oid = database
    where datname = current_database() and locktype = 'advisory' and not granted`;
  await waitFor(async () => isClosed || (await app.queryRows(waiting)).length > 0);
  await other.query('commit');
  await closed;
  expect(await unsealed()).toEqual([]);
});

it('ends in time despite many entries', async () => {
  await app.queryRows(sql`
    insert into audit_entry (clinic_id, at, actor_role, access, operation, records, record_count, request_id, address, outcome)
    select ${clinic.clinicId}, now(), 'CLINIC', 'READ', 'o', '{}', 0, gen_random_uuid(), 'a', 'OK'
    from generate_series(1, 100000)`);
  await close();
  expect((await unsealed()).length).toBeGreaterThan(0);
});
