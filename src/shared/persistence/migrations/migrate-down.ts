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

/**
 * Selects the columns of the service's tables, each with a condition for rows whose value a rollback would lose.
 * Default values do not count, because they return with their column. Excludes the tables that the next start fills
 * again (migrations, instance heartbeats and time zone data versions), and the columns that their migration computes.
 */
const COLUMNS_QUERY = `
  select relname::text as "table", attname::text as "column",
    format('%I is not null', attname)
      || coalesce(' and ' || quote_ident(attname) || ' is distinct from ' || pg_get_expr(adbin, adrelid), '') as "hasValue"
  from pg_class join pg_attribute on attrelid = pg_class.oid
    left join pg_attrdef on adrelid = attrelid and adnum = attnum and attgenerated = ''
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
    and relname not in ('schema_migration', 'instance', 'zone_data')
    and relname || '.' || attname <> all (array[
      'audit_seal.entry_count', 'audit_seal.first_at', 'audit_seal.last_at', 'audit_unsealed.at', 'reminder.channel'])
    and attnum > 0 and not attisdropped order by 1, attnum`;

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
  const lost = await findTablesWithValues(orm, await findDroppedColumns(orm, [...names]));
  if (lost.length > 0) throw new MigrationDataLossError(lost);
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

async function findDroppedColumns(orm: Orm, migrations: string[]): Promise<Column[]> {
  let dropped: Column[] = [];
  const trial = withMigrationLock(orm, async (transaction) => {
    const before = await findColumns(orm, transaction);
    await orm.migrator.down({ migrations, transaction });
    const left = new Set((await findColumns(orm, transaction)).map(toKey));
    dropped = before.filter((column) => !left.has(toKey(column)));
    throw new TrialRollback();
  });
  await trial.catch((error: unknown) => {
    if (!(error instanceof TrialRollback)) throw error;
  });
  return dropped;
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
