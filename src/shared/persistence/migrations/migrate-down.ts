import type { DatabaseEnvironment } from '../../config/env.js';
import { inTurn, namesOf, prepareMigrator } from './migrate.js';
import type { Orm } from '../driver/orm.js';

/** Taking a release back would destroy what its tables hold. */
export class RowsWouldBeLostError extends Error {
  constructor(lost: readonly string[]) {
    super(
      `These have rows that would be lost: ${lost.join(', ')}. Take a backup; --destroy-data goes on all the same.`,
    );
  }
}

/** Rolls back what was only tried. */
class Tried extends Error {}

/**
 * The columns of the service's own tables, but those of migrations, of the heartbeats of instances and of the version of
 * time zone data, which a start writes again; each with the condition under which a row has a value in it: one that is
 * its default would come back with the column.
 */
const COLUMNS = `
  select relname::text as "table", attname::text as "column",
    format('%I is not null', attname)
      || coalesce(' and ' || quote_ident(attname) || ' is distinct from ' || pg_get_expr(adbin, adrelid), '') as "hasValue"
  from pg_class join pg_attribute on attrelid = pg_class.oid
    left join pg_attrdef on adrelid = attrelid and adnum = attnum and attgenerated = ''
  where relnamespace = 'public'::regnamespace and relkind = 'r'
    and relname not in ('schema_migration', 'instance', 'zone_data')
    and attnum > 0 and not attisdropped order by 1, attnum`;

type Column = { table: string; column: string; hasValue: string };

/**
 * Asks whether taking the given migrations back would destroy rows or values.
 *
 * @throws RowsWouldBeLostError
 */
export async function requireNothingLost(
  orm: Orm,
  database: DatabaseEnvironment,
  names: readonly string[],
): Promise<void> {
  await prepareMigrator(orm, database);
  const lost = await tablesWithValues(orm, await whatIsDropped(orm, [...names]));
  if (lost.length > 0) throw new RowsWouldBeLostError(lost);
}

/** Takes the given migrations back, newest first: all or none. */
export async function migrateDown(
  orm: Orm,
  database: DatabaseEnvironment,
  names: readonly string[],
): Promise<string[]> {
  const migrations = [...names];
  await prepareMigrator(orm, database);
  return inTurn(orm, async (transaction) => namesOf(await orm.migrator.down({ migrations, transaction })));
}

async function whatIsDropped(orm: Orm, migrations: string[]): Promise<Column[]> {
  let dropped: Column[] = [];
  const trial = inTurn(orm, async (transaction) => {
    const before = await columnsOf(orm, transaction);
    await orm.migrator.down({ migrations, transaction });
    const left = new Set((await columnsOf(orm, transaction)).map(keyOf));
    dropped = before.filter((column) => !left.has(keyOf(column)));
    throw new Tried();
  });
  await trial.catch((error: unknown) => {
    if (!(error instanceof Tried)) throw error;
  });
  return dropped;
}

async function tablesWithValues(orm: Orm, columns: readonly Column[]): Promise<string[]> {
  const connection = orm.em.fork().getConnection();
  const lost = new Set<string>();
  for (const { table, hasValue } of columns) {
    if (lost.has(table)) continue;
    const rows = (await connection.execute(`select 1 from "${table}" where ${hasValue} limit 1`)) as object[];
    if (rows.length > 0) lost.add(table);
  }
  return [...lost];
}

function columnsOf(orm: Orm, transaction?: object): Promise<Column[]> {
  return orm.em.fork().getConnection().execute<Column[]>(COLUMNS, [], 'all', transaction);
}

const keyOf = ({ table, column }: Column) => `${table}.${column}`;
