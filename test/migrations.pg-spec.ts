import { MikroORM } from '@mikro-orm/core';
import { execFileSync } from 'node:child_process';
import pg from 'pg';
import { ormOptions } from '../mikro-orm.config.js';
import { createTestDatabase, type TestDatabase } from './support/database.js';
import { SECRET } from './support/world.js';

let database: TestDatabase;
let client: pg.Client;
let url: string;
beforeAll(async () => {
  database = await createTestDatabase('postgresql');
  url = database.environment.kind === 'postgresql' ? database.environment.migrationUrl : '';
  client = new pg.Client({ connectionString: url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

const migrate = (...words: string[]): string =>
  execFileSync(process.execPath, ['dist/src/cli/migrate.js', ...words], {
    env: { PATH: process.env['PATH'], DATABASE_URL: url, JWT_SECRET: SECRET },
    encoding: 'utf8',
  });

/** Everything that makes a schema, as text. */
async function schema(): Promise<string[]> {
  const { rows } = await client.query<{ line: string }>(`
    select table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable || ' ' || coalesce(column_default, '')
      || ' ' || is_identity || ' ' || coalesce(datetime_precision::text, '') as line
      from information_schema.columns where table_schema = 'public' and table_name <> 'schema_migration'
    union all select indexdef from pg_indexes where schemaname = 'public' and tablename <> 'schema_migration'
    union all select conrelid::regclass || ' ' || pg_get_constraintdef(oid) from pg_constraint
      where connamespace = 'public'::regnamespace and conrelid::regclass::text <> 'schema_migration'
    order by 1`);
  return rows.map((row) => row.line);
}

it('up, down, up leaves the same schema', async () => {
  const before = await schema();
  expect(before.length).toBeGreaterThan(80);
  expect(migrate('down')).toMatch(/^down migration-/);
  expect(await schema()).toEqual([]);
  expect(migrate()).toMatch(/up migration-20261121000000-initial/);
  expect(await schema()).toEqual(before);
  expect(migrate()).toBe('0 migration(s) done\n');
});

it('every property of every entity is a column, as nullable as the entity says, and there is no other', async () => {
  const orm = await MikroORM.init(await ormOptions(database.environment, 'owner'));
  const expected = [...orm.getMetadata().getAll().values()].flatMap((entity) =>
    entity.props.map(
      (property) => `${entity.tableName}.${property.fieldNames[0]!} ${property.nullable ? 'YES' : 'NO'}`,
    ),
  );
  await orm.close();
  const { rows } = await client.query<{ line: string }>(`
    select table_name || '.' || column_name || ' ' || is_nullable as line
      from information_schema.columns where table_schema = 'public' and table_name <> 'schema_migration'`);
  expect(rows.map((row) => row.line).toSorted()).toEqual(expected.toSorted());
});

it('the database itself refuses a row that mixes two Clinics', async () => {
  await client.query(`
    insert into clinic (name, time_zone, active, created_at) values ('A', 'UTC', true, now()), ('B', 'UTC', true, now());
    insert into care_provider (clinic_id, name, active, created_at) values (1, 'P', true, now());
    insert into client (clinic_id, name, active, created_at) values (2, 'K', true, now())`);
  const assign = 'insert into client_assignment (clinic_id, client_id, care_provider_id, assigned_at) values';
  for (const clinicId of [1, 2]) {
    await expect(client.query(`${assign} (${clinicId}, 1, 1, now())`)).rejects.toMatchObject({ code: '23503' });
  }
});

it('looking for due reminders uses the partial index, however many wait for later', async () => {
  await client.query(`
    insert into client (clinic_id, name, active, created_at) values (1, 'K', true, now());
    insert into session_series (id, clinic_id, interval_days, reminders, created_at)
      values ('019abcde-0000-7000-8000-000000000000', 1, 7, '[]', now());
    insert into session (clinic_id, series_id, position, caregiver_id, client_id, title, planned_date, planned_time, time_zone,
        duration_minutes, starts_at, ends_at, status, version, created_at, updated_at)
      values (1, '019abcde-0000-7000-8000-000000000000', 1, 1, 2, 'T', '2027-01-01', '10:00', 'UTC',
        50, '2027-01-01T10:00Z', '2027-01-01T10:50Z', 'SCHEDULED', 1, now(), now());
    insert into reminder (clinic_id, session_id, caregiver_id, recipient_kind, recipient_id, rule, due_at, send_at, story, status, created_at)
      select 1, 1, 1, 'CLIENT', 2, '{}', now() + n * interval '1 hour', now() + n * interval '1 hour', '[]', case when n % 10 = 0 then 'SENT' else 'PENDING' end, now()
      from generate_series(1, 50000) n;
    analyze reminder`);
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(`
    explain select id from reminder where status = 'PENDING' and send_at <= now() order by send_at, id limit 500 for update skip locked`);
  expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toMatch(/Index Scan using reminder_due on reminder/);
});
