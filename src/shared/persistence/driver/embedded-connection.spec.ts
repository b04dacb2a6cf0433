import { PGlite } from '@electric-sql/pglite';
import { PGLITE_OPTIONS } from './embedded-connection.js';

let database: PGlite;
beforeAll(async () => {
  database = await PGlite.create(PGLITE_OPTIONS);
}, 60_000);
afterAll(() => database.close());

it('starts PostgreSQL with few shared buffers', async () => {
  const { rows } = await database.query('show shared_buffers');
  expect(rows).toEqual([{ shared_buffers: '16MB' }]);
});

it('parses arrays of built-in types, and none of table rows', async () => {
  await database.exec('create table room (id int)');
  const { rows } = await database.query(`
    select '{1,2}'::bigint[] as bigints, '{t,f}'::boolean[] as booleans, '{"a b",c}'::text[] as texts,
      '{00000000-0000-7000-8000-000000000000}'::uuid[] as uuids, array(select room from room) as rooms`);
  expect(rows).toEqual([
    {
      ...{ bigints: [1, 2], booleans: [true, false], texts: ['a b', 'c'] },
      ...{ uuids: ['00000000-0000-7000-8000-000000000000'], rooms: '{}' },
    },
  ]);
  expect(Object.keys(database.parsers).length).toBeLessThan(120);
});
