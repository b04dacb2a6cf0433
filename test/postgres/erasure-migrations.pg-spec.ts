import { MikroORM } from '@mikro-orm/core';
import pg from 'pg';
import { ormOptions } from '../../mikro-orm.config.js';
import { migrations } from '../../src/migrations/index.js';
import { migrateUp, requireNoDataLoss } from '../../src/shared/persistence/index.js';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';

/*
 * Tests what the migrations of erasures do with existing rows: the Session of a notice moves from its rule to a column and
 * back, and reasons of accesses to erased Clinics are overwritten, also in a Clinic that has moved to another installation.
 */

const NOTICES = 'migration-20261125130000-erasure-notice';
const ERASED_SESSION = 'migration-20261125140000-erased-session';
/** A Clinic, one that has moved, and one that was erased. */
const [OPEN, MOVED, ERASED] = [101, 102, 103];

let database: TestDatabase;
let client: pg.Client;
let orm: MikroORM;
beforeAll(async () => {
  database = await createTestDatabase('postgresql');
  if (database.environment.kind !== 'postgresql') throw new Error('This test needs PostgreSQL');
  client = new pg.Client({ connectionString: database.environment.migrationUrl });
  await client.connect();
  orm = await MikroORM.init(await ormOptions(database.environment, 'owner'));
  await rollBack(ERASED_SESSION);
  await client.query(rowsOfRelease);
});
afterAll(async () => {
  await orm.close();
  await client.end();
  await database.drop();
});

/** Rolls back a migration and all that follow it. */
async function rollBack(first: string): Promise<void> {
  const applied = (await orm.migrator.getExecuted()).map(({ name }) => name);
  for (const { name } of migrations.toReversed())
    if (name >= first && applied.includes(name)) await orm.migrator.down({ migrations: [name] });
}

const rowsOfRelease = `
  insert into clinic (id, name, time_zone, active, created_at, erased_at)
    select id, 'C', 'UTC', true, now(), case id when ${ERASED} then now() end
    from unnest(array[${OPEN}, ${MOVED}, ${ERASED}]) id;
  insert into care_provider (id, clinic_id, name, active, created_at)
    select id, id, 'P', true, now() from unnest(array[${OPEN}, ${MOVED}]) id;
  insert into client (id, clinic_id, name, active, created_at) values (1, ${OPEN}, 'K', true, now());
  insert into session_series (id, clinic_id, interval_days, reminders, created_at)
    values ('019abcde-0000-7000-8000-000000000001', ${OPEN}, 7, '[]', now());
  insert into session (id, clinic_id, series_id, position, caregiver_id, client_id, title, planned_date, planned_time, time_zone,
      duration_minutes, starts_at, ends_at, status, version, created_at, updated_at)
    values (1, ${OPEN}, '019abcde-0000-7000-8000-000000000001', 1, ${OPEN}, 1, 'T', '2027-01-01', '10:00', 'UTC', 50,
      '2027-01-01T10:00Z', '2027-01-01T10:50Z', 'SCHEDULED', 1, now(), now());
  insert into reminder (id, clinic_id, session_id, caregiver_id, recipient_kind, recipient_id, rule, due_at, send_at, status, story,
      created_at)
    values (1, ${OPEN}, 1, ${OPEN}, 'CLIENT', 1, '{"kind":"REMIND_DAYS","days":3}', now(), now(), 'PENDING', '[]', now());
  insert into reminder (id, clinic_id, caregiver_id, recipient_kind, recipient_id, rule, due_at, send_at, status, story, created_at)
    select id, id, id, 'CARE_PROVIDER', id,
      jsonb_build_object('kind', 'SESSION_ERASED', 'sessionId', id + 1000, 'startsAt', '2027-01-04T09:30:00.000Z'),
      now(), now(), 'PENDING', '[]', now()
    from unnest(array[${OPEN}, ${MOVED}]) id;
  insert into administrator_access (clinic_id, administrator, caller, reason, opened_at, expires_at)
    select id, 'admin', 'digest', 'Ticket 4711', now(), now() + interval '1 hour'
    from unnest(array[${OPEN}, ${MOVED}, ${ERASED}]) id;
  insert into clinic_move (clinic_id, direction, move_id, secret, started_at, closed_at)
    select id, 'OUT', gen_random_uuid(), 'S', now(), now() from unnest(array[${MOVED}, ${ERASED}]) id`;

const readReminders = async () => (await client.query('select * from reminder order by id')).rows as object[];
const startsAt = '2027-01-04T09:30:00.000Z';

it('the Session of a notice moves into a column, and reasons of accesses to erased Clinics are overwritten', async () => {
  await migrateUp(orm, database.environment);
  expect(await readReminders()).toEqual([
    expect.objectContaining({ session_id: '1', erased_session_id: null, rule: { kind: 'REMIND_DAYS', days: 3 } }),
    ...[OPEN, MOVED].map((id) =>
      expect.objectContaining({
        ...{ session_id: null, erased_session_id: String(id + 1000) },
        rule: { kind: 'SESSION_ERASED', startsAt },
      }),
    ),
  ]);
  const { rows } = await client.query('select clinic_id::int, reason from administrator_access order by 1');
  expect(rows).toEqual([
    { clinic_id: OPEN, reason: 'Ticket 4711' },
    { clinic_id: MOVED, reason: 'Ticket 4711' },
    { clinic_id: ERASED, reason: '[erased]' },
  ]);
});

it('the Session of a notice moves back into its rule, and a release without notices has none', async () => {
  await rollBack(ERASED_SESSION);
  expect((await readReminders()).map((row) => Reflect.get(row, 'rule') as object)).toEqual([
    { kind: 'REMIND_DAYS', days: 3 },
    ...[OPEN, MOVED].map((id) => ({ kind: 'SESSION_ERASED', sessionId: id + 1000, startsAt })),
  ]);
  // The migration deletes notices, but drops neither their table nor a column.
  await expect(requireNoDataLoss(orm, database.environment, [NOTICES])).rejects.toThrow(
    'These tables have rows that would be lost: reminder.',
  );
  await rollBack(NOTICES);
  expect(await readReminders()).toEqual([expect.objectContaining({ id: '1', session_id: '1' })]);
  await migrateUp(orm, database.environment);
});
