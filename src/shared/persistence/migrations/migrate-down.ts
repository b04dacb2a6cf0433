import type { DatabaseEnvironment } from '../../config/env.js';
import { withMigrationLock, toMigrationNames, prepareMigrator } from './migrate.js';
import type { Orm } from '../driver/orm.js';

/** Rolling back migrations would destroy rows or values. */
export class MigrationDataLossError extends Error {
  constructor(lost: readonly string[]) {
    super(
      `These tables have rows that would be lost: ${lost.join(', ')}. Take a backup first; --destroy-data skips this check.`,
    );
  }
}

/** Thrown to roll back the trial run of the migrations. */
class TrialRollback extends Error {}

/** The tables that the next start fills again: migrations, instance heartbeats and time zone data versions. */
const REFILLED_TABLES = `'schema_migration', 'instance', 'zone_data'`;

/**
 * Selects the columns of the service's tables, each with a condition for rows whose value a rollback would lose.
 * Default values do not count, because they return with their column. Excludes the columns that their migration
 * computes.
 */
const COLUMNS_QUERY = `
  select relname::text as "table", attname::text as "column",
    format('%I is not null', attname)
      || coalesce(' and ' || quote_ident(attname) || ' is distinct from ' || pg_get_expr(adbin, adrelid), '') as "hasValue"
  from pg_class join pg_attribute on attrelid = pg_class.oid
    left join pg_attrdef on adrelid = attrelid and adnum = attnum and attgenerated = ''
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
    and relname not in (${REFILLED_TABLES})
    and relname || '.' || attname <> all (array[
      'audit_seal.entry_count', 'audit_seal.first_at', 'audit_seal.last_at', 'audit_unsealed.at', 'reminder.channel'])
    and attnum > 0 and not attisdropped order by 1, attnum`;

/** Selects how many rows of the service's tables were deleted, for migrations that delete rows and keep the table. */
const DELETED_ROWS_QUERY = `
  select relname::text as "table", n_tup_del::int as deleted from pg_stat_xact_user_tables
  where schemaname = 'public' and n_tup_del > 0 and relname not in (${REFILLED_TABLES})`;

type Column = { table: string; column: string; hasValue: string };

/**
 * Checks that rolling back the given migrations would not destroy rows or values. Performs a trial run in a transaction
 * that is rolled back.
 *
 * @throws MigrationDataLossError if rows or values would be lost
 */
export async function requireNoDataLoss(
  orm: Orm,
  database: DatabaseEnvironment,
  names: readonly string[],
): Promise<void> {
  await prepareMigrator(orm, database);
  const { droppedColumns, tablesWithDeletedRows } = await tryMigrateDown(orm, [...names]);
  const lost = new Set([...tablesWithDeletedRows, ...(await findTablesWithValues(orm, droppedColumns))]);
  if (lost.size > 0) throw new MigrationDataLossError([...lost].sort());
}

/** Rolls back the given migrations, newest first, in one transaction. Returns their names. */
export async function migrateDown(
  orm: Orm,
  database: DatabaseEnvironment,
  names: readonly string[],
): Promise<string[]> {
  const migrations = [...names];
  await prepareMigrator(orm, database);
  return withMigrationLock(orm, async (transaction) =>
    toMigrationNames(await orm.migrator.down({ migrations, transaction })),
  );
}

type TrialResult = { droppedColumns: Column[]; tablesWithDeletedRows: string[] };

async function tryMigrateDown(orm: Orm, migrations: string[]): Promise<TrialResult> {
  const result: TrialResult = { droppedColumns: [], tablesWithDeletedRows: [] };
  const trial = withMigrationLock(orm, async (transaction) => {
    const before = await findColumns(orm, transaction);
    const deletedBefore = await countDeletedRows(orm, transaction);
    await orm.migrator.down({ migrations, transaction });
    const left = new Set((await findColumns(orm, transaction)).map(toKey));
    result.droppedColumns = before.filter((column) => !left.has(toKey(column)));
    const deleted = await countDeletedRows(orm, transaction);
    result.tablesWithDeletedRows = [...deleted.keys()].filter(
      (table) => deleted.get(table)! > (deletedBefore.get(table) ?? 0),
    );
    throw new TrialRollback();
  });
  await trial.catch((error: unknown) => {
    if (!(error instanceof TrialRollback)) throw error;
  });
  return result;
}

/** Counts the rows of each table that the transaction has deleted. The counts can include those of a transaction before. */
async function countDeletedRows(orm: Orm, transaction: object): Promise<Map<string, number>> {
  type Row = { table: string; deleted: number };
  const connection = orm.em.fork().getConnection();
  const rows = (await connection.execute(DELETED_ROWS_QUERY, [], 'all', transaction)) as Row[];
  return new Map(rows.map(({ table, deleted }) => [table, deleted]));
}

async function findTablesWithValues(orm: Orm, columns: readonly Column[]): Promise<string[]> {
  const connection = orm.em.fork().getConnection();
  const lost = new Set<string>();
  for (const { table, hasValue } of columns) {
    if (lost.has(table)) continue;
    const rows = (await connection.execute(`select 1 from "${table}" where ${hasValue} limit 1`)) as object[];
    if (rows.length > 0) lost.add(table);
  }
  return [...lost];
}

function findColumns(orm: Orm, transaction?: object): Promise<Column[]> {
  return orm.em.fork().getConnection().execute<Column[]>(COLUMNS_QUERY, [], 'all', transaction);
}

const toKey = ({ table, column }: Column) => `${table}.${column}`;
