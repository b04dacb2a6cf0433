import type { Client } from 'pg';
import { DISTRIBUTION_BOOKKEEPING_TABLES } from '../../shared/persistence/index.js';
import { CommandError } from '../command-error.js';

/** A table to back up, as read from the PostgreSQL catalog, so that new tables are included without a change here. */
export type BackupTable = {
  name: string;
  columns: string[];
  /**
   * SQL expressions for the key: the primary key, or the replica identity. Text is compared by code point, so the order
   * is the same on all servers.
   */
  order: string;
  /** The other tables that the foreign keys reference. */
  needs: string[];
  /** SQL condition on the rows; all rows if it is absent. */
  condition?: string;
};

/**
 * A sequence of the database. `table` and `column` are null if no column owns the sequence. `last` is null if the
 * sequence has never been used.
 */
export type DatabaseSequence = { name: string; table: string | null; column: string | null; last: string | null };

/** A partition by time. The default partition is not listed, because the schema always has it. */
type TablePartition = { table: string; name: string; lower: string; upper: string };

/** The table of executed migrations. Its rows are compared but not copied, because the migrations write them. */
const MIGRATION_TABLE = 'schema_migration';
/**
 * Tables that describe this database and are not backed up: executed migrations, commands that are not yet in the audit
 * trail, running instances, and how the rows are distributed.
 */
const EXCLUDED_TABLES = [MIGRATION_TABLE, 'audit_pending_command', 'instance', ...DISTRIBUTION_BOOKKEEPING_TABLES];

/** Reads the tables to back up, sorted so that referenced tables come first. The queue schema is not included. */
export async function readBackupTables(client: Client): Promise<BackupTable[]> {
  const { rows } = await client.query<BackupTable>(SELECT_TABLES, [EXCLUDED_TABLES]);
  const keyless = rows.find(({ order }) => order === '');
  if (keyless !== undefined)
    throw new CommandError(`${keyless.name} has no key, which a backup needs to sort its rows.`);
  return sortByReferences(rows);
}

/** Reads the partitions of the audit trail, oldest first. */
export async function readAuditPartitions(client: Client): Promise<TablePartition[]> {
  const { rows } = await client.query<TablePartition>(
    `select 'audit_entry' as "table", name, lower::text, upper::text from audit_partitions() order by audit_partitions.upper`,
  );
  return rows;
}

export async function readSequences(client: Client): Promise<DatabaseSequence[]> {
  return (await client.query<DatabaseSequence>(SELECT_SEQUENCES, [MIGRATION_TABLE])).rows;
}

/**
 * Reads the names of the executed migrations.
 *
 * @throws CommandError if the database has no schema
 */
export async function readMigrationNames(client: Client): Promise<string[]> {
  const { rows: found } = await client.query(`select from pg_class where oid = to_regclass($1)`, [MIGRATION_TABLE]);
  if (found.length === 0) throw new CommandError('The database has no schema: run "npm run migrate" first.');
  const { rows } = await client.query<{ name: string }>(
    `select name from ${MIGRATION_TABLE} order by name collate "C"`,
  );
  return rows.map(({ name }) => name);
}

function sortByReferences(tables: BackupTable[]): BackupTable[] {
  const sorted: BackupTable[] = [];
  while (sorted.length < tables.length) {
    const names = new Set(sorted.map(({ name }) => name));
    const next = tables.filter((table) => !names.has(table.name) && table.needs.every((name) => names.has(name)));
    if (next.length === 0) throw new CommandError('Some tables refer to each other in a circle.');
    sorted.push(...next);
  }
  return sorted;
}

const SELECT_TABLES = `
  select relname::text as name,
    array(select quote_ident(attname) from pg_attribute
      where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum) as columns,
    array_to_string(array(
      select quote_ident(attname) || case when attcollation = 0 then '' else ' collate "C"' end
      from pg_index cross join unnest(indkey) with ordinality as key (number, place)
        join pg_attribute on attrelid = indrelid and attnum = number
      where indrelid = pg_class.oid and (indisprimary or indisreplident) order by place), ', ') as "order",
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

/** Whether the rows of Clinics are distributed over several servers, or a distribution was interrupted. */
export async function isDistributed(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ distributed: boolean }>(
    `select to_regclass('distribution_foreign_key') is not null as distributed`,
  );
  return rows[0]!.distributed;
}

/**
 * Returns SQL that joins the rows of a table whose ID the sequence of the parameter $1 assigns. Until an installation sets
 * its range for the first time, the sequences have no upper bound, so the bounds of the range count as well.
 */
export function joinAssignedIds(id: string): string {
  return `join pg_sequence on seqrelid = $1::regclass
    join id_range_bounds(coalesce((select number from id_range where replaced_at is null), 0))
      on ${id} between greatest(seqmin, lower) and least(seqmax, upper)`;
}
