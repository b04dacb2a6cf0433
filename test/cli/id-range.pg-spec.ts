import { sql } from 'kysely';
import { runCommandInProcess } from '../support/process/cli-command.js';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';
import { TEST_JWT_SECRET, TestApp } from '../support/app/test-app.js';
import { jest } from '@jest/globals';
import pg from 'pg';
import { readCreatedId } from '../support/app/series-fixtures.js';

/* `npm run id-range`: the ids of new records come from the range of the installation, in every table. */

const RANGE_SIZE = 2 ** 40;

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());

function urlOf(environment: TestDatabase['environment']): string {
  if (environment.kind !== 'postgresql') throw new Error('This test needs a server');
  return environment.migrationUrl;
}

function run(words: readonly string[], url = urlOf(app.environment.database)) {
  return runCommandInProcess('id-range', words, { DATABASE_URL: url, JWT_SECRET: TEST_JWT_SECRET });
}

it('prints range 0 until another one is set', async () => {
  expect(await run([])).toEqual({ status: 0, stdout: `range 0: ids from 1 to ${RANGE_SIZE - 1}\n`, stderr: '' });
});

it('lets the ids of all records come from the range, beside a running service', async () => {
  const before = await app.createClinic();
  expect(await run(['--number', '5'])).toEqual({
    status: 0,
    stdout: `range 5: ids from ${5 * RANGE_SIZE} to ${6 * RANGE_SIZE - 1}\n`,
    stderr: '',
  });
  const { clinicId } = await app.createClinic();
  expect(before.clinicId).toBeLessThan(RANGE_SIZE);
  expect(clinicId).toBe(5 * RANGE_SIZE);
  const outside = await app.queryRows(sql<{ relname: string }>`
    select relname from pg_class join pg_sequence on seqrelid = pg_class.oid
    where relnamespace = 'public'::regnamespace and seqmin <> ${5 * RANGE_SIZE}`);
  expect(outside).toEqual([{ relname: 'schema_migration_id_seq' }]);
  const entries = await app.queryRows(sql<{ id: string }>`
    select id::text from audit_entry where operation = 'command id-range'`);
  expect(entries).toHaveLength(1);
});

it('lets instances use ids that they have reserved in the range before for 5 minutes', async () => {
  const { clinicToken: token } = await app.createClinic();
  const create = async () =>
    readCreatedId(await app.call('POST', '/gateway/profile/clinic/client', { token, body: { name: 'Client' } }));
  const before = await create();
  expect((await run(['--number', '6'])).status).toBe(0);
  expect(await create()).toBe(before + 1);
  const later = performance.now() + 5 * 60_000;
  const now = jest.spyOn(performance, 'now').mockImplementation(() => later);
  expect(await create()).toBe(6 * RANGE_SIZE);
  now.mockRestore();
});

it('serves requests with the largest ids', async () => {
  expect((await run(['--number', '908'])).status).toBe(0);
  const { clinicId, careProviderToken, clientIds } = await app.createClinic();
  expect(clinicId).toBe(908 * RANGE_SIZE);
  const body = { clientId: clientIds[0], title: 'T', date: '2027/03/21', time: '09:30', reminders: ['-P1D'] };
  const created = await app.call('POST', '/gateway/profile/caregiver/session', { token: careProviderToken, body });
  expect(created.status).toBe(201);
  const { body: list } = await app.call('GET', '/gateway/profile/caregiver/session', { token: careProviderToken });
  expect(list.items).toMatchObject([{ clientId: clientIds[0], title: 'T' }]);
});

it('goes on within the range that is set, and refuses one that was in use', async () => {
  const { clinicId } = await app.createClinic();
  expect((await run(['--number', '908'])).status).toBe(0);
  expect((await app.createClinic()).clinicId).toBe(clinicId + 1);
  expect(await run(['--number', '5'])).toMatchObject({
    status: 1,
    stderr: 'Range 5 was in use before: it was set before.\n',
  });
  expect((await run(['--number', '0'])).stderr).toMatch(/^Range 0 was in use before: \w+ has ids of it\.\n$/);
});

it('refuses a range whose ids a moved Clinic has', async () => {
  await app.queryRows(sql`
    insert into clinic (id, name, time_zone, active, created_at) overriding system value
    values (${7 * RANGE_SIZE + 3}, 'Moved', 'UTC', true, now())`);
  expect((await run(['--number', '7'])).stderr).toBe('Range 7 was in use before: clinic has ids of it.\n');
});

it('gives a new sequence the range when the function of upgrades runs, and no limit without a range', async () => {
  const database = await createTestDatabase('postgresql');
  const client = new pg.Client({ connectionString: urlOf(database.environment) });
  await client.connect();
  const create = 'create table thing (id bigint generated always as identity)';
  const insert = 'insert into thing default values returning id';
  await client.query(`${create}; select apply_id_range()`);
  expect((await client.query<{ id: string }>(insert)).rows).toEqual([{ id: '1' }]);
  await client.query('drop table thing');
  expect((await run(['--number', '3'], urlOf(database.environment))).status).toBe(0);
  await client.query(create);
  expect((await client.query<{ count: string }>('select apply_id_range() as count')).rows).toEqual([{ count: 1 }]);
  expect((await client.query<{ id: string }>(insert)).rows).toEqual([{ id: String(3 * RANGE_SIZE) }]);
  await client.end();
  await database.drop();
});

it.each([
  [['--number', '909'], '--number must be an integer from 0 to 908.\n'],
  [['--number', '-1'], /^Option '--number' argument is ambiguous/],
  [['--number', 'x'], '--number must be an integer from 0 to 908.\n'],
  [['now'], 'Unknown argument "now". See --help.\n'],
])('%j is refused', async (words, message) => {
  const { status, stderr } = await run(words);
  expect(status).toBe(1);
  expect(stderr).toMatch(message);
});

it('is refused with an embedded database', async () => {
  const { status, stderr } = await runCommandInProcess('id-range', [], { DATA_DIR: '/nowhere' });
  expect([status, stderr]).toEqual([1, 'This command needs a PostgreSQL server: set DATABASE_URL.\n']);
});
