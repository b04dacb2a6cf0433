import pg from 'pg';
import { MOVED_TABLES, UNMOVED_TABLES } from '../../src/cli/move/moved-tables.js';
import { createTestDatabase } from '../support/database/test-database.js';

/* Each table of the database is in one of two lists, so that a new table cannot be forgotten when a Clinic moves. */

it('each table moves with its Clinic, or is listed with the reason why it stays', async () => {
  const database = await createTestDatabase('postgresql');
  const { environment } = database;
  const client = new pg.Client({
    connectionString: environment.kind === 'postgresql' ? environment.migrationUrl : undefined,
  });
  await client.connect();
  const { rows } = await client.query<{ name: string; has_clinic: boolean }>(`
    select relname as name, exists (
      select from pg_attribute where attrelid = pg_class.oid and attname = 'clinic_id') as has_clinic
    from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
    order by relname collate "C"`);
  await client.end();
  await database.drop();
  expect(rows.map(({ name }) => name)).toEqual(
    [...Object.keys(MOVED_TABLES), ...Object.keys(UNMOVED_TABLES)].toSorted(),
  );
  // Rows that name a Clinic belong to it.
  const staying = rows.filter(({ name, has_clinic: hasClinic }) => hasClinic && name in UNMOVED_TABLES);
  expect(staying.map(({ name }) => name)).toEqual(['clinic_move']);
});
