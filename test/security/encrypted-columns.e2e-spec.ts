import { MikroORM } from '@mikro-orm/core';
import { sql } from 'kysely';
import { readFileSync } from 'node:fs';
import { findEncryptedTable, DISTRIBUTION_BOOKKEEPING_TABLES } from '../../src/shared/persistence/index.js';
import { TestApp } from '../support/app/test-app.js';

/*
 * The table in docs/encryption.md says of every column whether it is encrypted, and why not. It is compared with the
 * columns of the database and with the entities.
 */

type Row = { table: string; columns: string[]; form: string; reason: string };

/** Columns that are encrypted by hand-written SQL, or with a key that is derived from the idempotency key. */
const ENCRYPTED_ELSEWHERE = ['audit_entry.actor_subject', 'audit_entry.address', 'idempotency_key.answer'];

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());

function readRows(): Row[] {
  const text = readFileSync('docs/encryption.md', 'utf8').split('## Every column')[1]!;
  return [...text.matchAll(/^\| `(\w+)` +\| (.+?) +\| (\w+) +\| (.+?) +\|$/gm)].map(
    ([, table, columns, form, reason]) => ({
      table: table!,
      columns: columns!.split(',').map((column) => column.trim().replaceAll('`', '')),
      form: form!,
      reason: reason!,
    }),
  );
}

const listNames = (rows: readonly Row[]) =>
  rows.flatMap(({ table, columns }) => columns.map((one) => `${table}.${one}`));

async function listColumns(): Promise<string[]> {
  const rows = await app.queryRows(sql<{ name: string }>`
    select c.relname || '.' || a.attname as name
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and a.attnum > 0 and not a.attisdropped and c.relname <> all(${[...DISTRIBUTION_BOOKKEEPING_TABLES]}::text[])`);
  return rows.map(({ name }) => name);
}

const findMissing = async () => {
  const named = new Set(listNames(readRows()));
  return (await listColumns()).filter((name) => !named.has(name)).toSorted();
};

it('docs/encryption.md, "Every column", has a row with a reason for every column of the database, and for no other', async () => {
  const rows = readRows();
  const columns = await listColumns();
  expect(columns.length).toBeGreaterThan(200);
  expect(listNames(rows).toSorted()).toEqual(columns.toSorted());
  for (const { form, reason } of rows) {
    expect(['encrypted', 'digest', 'plain']).toContain(form);
    expect(reason).toMatch(/^[A-Z].{4,}\.$/);
  }
});

it('docs/encryption.md, "Every column", calls those columns encrypted that the entities encrypt', () => {
  const encrypted = [...app.nest.get(MikroORM).getMetadata().getAll().values()].flatMap((meta) => {
    const table = findEncryptedTable(meta);
    return table?.columns.map(({ field }) => `${table.name}.${field}`) ?? [];
  });
  const documented = listNames(readRows().filter(({ form }) => form === 'encrypted'));
  expect(documented.toSorted()).toEqual([...encrypted, ...ENCRYPTED_ELSEWHERE].toSorted());
});

it('finds a column that is new', async () => {
  const before = await findMissing();
  await app.queryRows(sql`alter table client add column blood_type text`);
  expect(await findMissing()).toEqual([...before, 'client.blood_type'].toSorted());
});
