import { readdirSync, readFileSync } from 'node:fs';
import { ONLINE_PREPARATIONS } from './online-preparations.js';
import { createPreparedIndexes } from './prepared-index.js';

/** Tables with many rows, on which requests write while an index is built. */
const LARGE_TABLES = ['session', 'session_series', 'homework', 'reminder', 'audit_entry'];
/** Earlier migrations are older than this rule. */
const FIRST_CHECKED = 'migration-20261128190000';

const CREATES_INDEX = new RegExp(String.raw`create (unique )?index\b[^;\`]*? on (${LARGE_TABLES.join('|')})\b`, 'i');

const migrations = readdirSync(import.meta.dirname).filter((name) => /^migration-\d+.*\.ts$/.test(name));

it('the large tables are those with a preparation, and migrations are found', () => {
  const prepared = new Set(ONLINE_PREPARATIONS.map(({ table }) => table));
  expect(LARGE_TABLES).toEqual(expect.arrayContaining([...prepared]));
  expect(migrations.length).toBeGreaterThan(50);
});

it('each preparation names a migration, and a migration without a preparation fails', () => {
  const names = migrations.map((name) => name.replace('.ts', ''));
  expect(names).toEqual(expect.arrayContaining(ONLINE_PREPARATIONS.map(({ usedBy }) => usedBy)));
  expect(() => createPreparedIndexes('migration-20261130000000-mistyped')).toThrow('ONLINE_PREPARATIONS has no entry');
});

it('finds a migration that builds an index itself', () => {
  expect('create index session_x on session (x)').toMatch(CREATES_INDEX);
  expect('create unique index if not exists reminder_x\n  on reminder (clinic_id, x)').toMatch(CREATES_INDEX);
  expect('create index thing_x on thing (x)').not.toMatch(CREATES_INDEX);
  expect('create index reminder_preference_x on reminder_preference (x)').not.toMatch(CREATES_INDEX);
});

it.each(migrations.filter((name) => name >= FIRST_CHECKED))(
  '%s declares its indexes on large tables in ONLINE_PREPARATIONS (CONTRIBUTING.md, "Add a migration")',
  (name) => {
    expect(readFileSync(`${import.meta.dirname}/${name}`, 'utf8')).not.toMatch(CREATES_INDEX);
  },
);
