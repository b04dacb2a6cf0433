import type { Client } from 'pg';
import { BackupError } from './backup-error.js';

/** A table as the catalog of PostgreSQL tells it: nobody has to remember to add a new one here. */
export type Table = {
  name: string;
  columns: string[];
  /** SQL of its primary key, text compared by code point: the same rows come in the same order on any server. */
  order: string;
  /** The tables that its foreign keys refer to, without itself. */
  needs: string[];
};

/** `table` and `column` are null where the sequence belongs to none. `last` is null where it was never used. */
export type Sequence = { name: string; table: string | null; column: string | null; last: string | null };

/** The bookkeeping of MikroORM: compared, not copied, as the migrations write it themselves. */
const MIGRATION_TABLE = 'schema_migration';
/** What belongs to one database and not to its content: commands that the next start records, and the processes that work on it. */
const EXCLUDED_TABLES = [MIGRATION_TABLE, 'audit_pending_command', 'instance'];

/** Every table whose rows a backup has, referred-to tables first. The queue's schema is none of it. */
export async function readTables(client: Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(SELECT_TABLES, [EXCLUDED_TABLES]);
  const keyless = rows.find(({ order }) => order === '');
  if (keyless !== undefined) throw new BackupError(`${keyless.name} has no primary key: its rows have no order.`);
  return sortByReferences(rows);
}

export async function readSequences(client: Client): Promise<Sequence[]> {
  return (await client.query<Sequence>(SELECT_SEQUENCES, [MIGRATION_TABLE])).rows;
}

/** @throws BackupError when the database has no schema at all */
export async function readMigrationNames(client: Client): Promise<string[]> {
  const { rows: there } = await client.query(`select from pg_class where oid = to_regclass($1)`, [MIGRATION_TABLE]);
  if (there.length === 0) throw new BackupError('The database has no schema: run "npm run migrate" first.');
  const { rows } = await client.query<{ name: string }>(
    `select name from ${MIGRATION_TABLE} order by name collate "C"`,
  );
  return rows.map(({ name }) => name);
}

function sortByReferences(tables: Table[]): Table[] {
  const placed: Table[] = [];
  while (placed.length < tables.length) {
    const names = new Set(placed.map(({ name }) => name));
    const next = tables.filter((table) => !names.has(table.name) && table.needs.every((name) => names.has(name)));
    if (next.length === 0) throw new BackupError('There are tables that refer to each other in a circle.');
    placed.push(...next);
  }
  return placed;
}

const SELECT_TABLES = `
  select relname::text as name,
    array(select quote_ident(attname) from pg_attribute
      where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum) as columns,
    array_to_string(array(
      select quote_ident(attname) || case when attcollation = 0 then '' else ' collate "C"' end
      from pg_index cross join unnest(indkey) with ordinality as key (number, place)
        join pg_attribute on attrelid = indrelid and attnum = number
      where indrelid = pg_class.oid and indisprimary order by place), ', ') as "order",
    array(select distinct confrelid::regclass::text from pg_constraint
      where contype = 'f' and conrelid = pg_class.oid and confrelid <> conrelid) as needs
  from pg_class
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and relname <> all($1)
  order by relname`;

const SELECT_SEQUENCES = `
  select sequence.relname::text as name, owner.relname::text as "table", attname::text as "column",
    pg_sequence_last_value(sequence.oid)::text as last
  from pg_class sequence
    left join pg_depend on classid = 'pg_class'::regclass and objid = sequence.oid
      and refclassid = 'pg_class'::regclass and deptype in ('a', 'i')
    left join pg_class owner on owner.oid = refobjid
    left join pg_attribute on attrelid = refobjid and attnum = refobjsubid
  where sequence.relkind = 'S' and sequence.relnamespace = 'public'::regnamespace
    and owner.relname is distinct from $1
  order by 1`;
