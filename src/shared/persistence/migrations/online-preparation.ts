import { setTimeout as delay } from 'node:timers/promises';
import type { Orm } from '../driver/orm.js';
import { retryWhileTablesAreInUse, WAIT_BRIEFLY_STATEMENT } from './brief-locks.js';

type Index = { name: string; definition: string; isUnique?: boolean };

/**
 * The preparation of a large table for a migration. It runs before the migration, while the service continues to write.
 */
export type OnlinePreparation = {
  /**
   * The migration that needs the preparation. If a part of the preparation was not done, the migration does it itself.
   */
  usedBy: string;
  table: string;
  /** Statements that can be repeated, and that lock the table only while they change the catalog. */
  catalogChanges?: readonly string[];
  /** Indexes that are built without blocking writes. */
  indexes: readonly Index[];
  /** Sets columns of the matching rows in the order of their IDs, with a limited number of rows per transaction. */
  backfill?: { set: string; where: string };
};

/** Number of rows in a batch. The rows stay locked until the batch is committed. */
const BATCH_SIZE = 1_000;
const SKIPPED_ROWS_RETRY_MS = 100;
/** Key of the advisory lock that makes preparations run one after another if they start at the same time. */
const PREPARATION_LOCK = 4_711_2031;
const LOCK_RETRY_MS = 200;

/**
 * Prepares the migrations that have not run yet. An interrupted preparation continues with the next call, and another
 * preparation that runs at the same time is waited for. `pg_stat_progress_create_index` shows the progress of an index.
 *
 * @returns the tables whose rows were set, and the indexes that were built
 */
export function prepareOnline(orm: Orm, preparations: readonly OnlinePreparation[]): Promise<string[]> {
  return withPreparationLock(orm, () => prepare(orm, preparations));
}

/**
 * Runs work while no other preparation runs. The transaction of the lock stays idle, and tries to get the lock: if a
 * statement waited for it, `create index concurrently` would wait for that statement, which is a deadlock.
 */
function withPreparationLock<T>(orm: Orm, work: () => Promise<T>): Promise<T> {
  return orm.em.fork().transactional(async (em) => {
    const transaction = em.getTransactionContext<object>()!;
    const execute = async (statement: string) =>
      (await em.getConnection().execute(statement, [], 'all', transaction)) as object[];
    await execute('set local idle_in_transaction_session_timeout = 0');
    const lock = `select where pg_try_advisory_xact_lock(${PREPARATION_LOCK})`;
    while ((await execute(lock)).length === 0) await delay(LOCK_RETRY_MS);
    return work();
  });
}

async function prepare(orm: Orm, preparations: readonly OnlinePreparation[]): Promise<string[]> {
  const done: string[] = [];
  for (const preparation of preparations) {
    const { usedBy, table, catalogChanges = [], indexes, backfill } = preparation;
    // A new database does not contain the table yet.
    if (!(await exists(orm, table)) || (await isExecuted(orm, usedBy))) continue;
    for (const statement of catalogChanges) await changeCatalog(orm, statement);
    if (backfill !== undefined && (await setRows(orm, table, backfill)) > 0) done.push(table);
    // The indexes are built last, because they tell the migration that the preparation is complete.
    for (const index of indexes) if (await buildIndexes(orm, table, index)) done.push(index.name);
  }
  return done;
}

/**
 * Builds an index, or the indexes of all partitions: PostgreSQL cannot build the index of a partitioned table
 * concurrently. When the migration creates that index, PostgreSQL attaches the ones of the partitions to it.
 */
async function buildIndexes(orm: Orm, table: string, index: Index): Promise<boolean> {
  const partitions = await listPartitions(orm, table);
  if (partitions.length === 0) return buildIndex(orm, table, index);
  let isBuilt = false;
  for (const partition of partitions) {
    const name = `${index.name}_${partition.replace(`${table}_`, '')}`;
    if (await buildIndex(orm, partition, { ...index, name })) isBuilt = true;
  }
  return isBuilt;
}

async function listPartitions(orm: Orm, table: string): Promise<string[]> {
  const statement = `select relid::regclass::text as name from pg_partition_tree('${table}') where isleaf and level > 0`;
  return ((await query(orm, statement)) as { name: string }[]).map(({ name }) => name);
}

async function buildIndex(orm: Orm, table: string, { name, definition, isUnique = false }: Index): Promise<boolean> {
  // The server completes the index of a process that was killed. A second build would wait for it until a deadlock.
  const building = `select 1 from pg_stat_progress_create_index where relid = to_regclass('${table}')`;
  while ((await query(orm, building)).length > 0) await delay(LOCK_RETRY_MS);
  const valid = `select 1 from pg_index where indexrelid = to_regclass('${name}') and indisvalid`;
  if ((await query(orm, valid)).length > 0) return false;
  await query(orm, `drop index concurrently if exists ${name}`);
  await query(orm, `create ${isUnique ? 'unique ' : ''}index concurrently ${name} on ${table} ${definition}`);
  return true;
}

function changeCatalog(orm: Orm, statement: string): Promise<void> {
  return retryWhileTablesAreInUse(() =>
    orm.em.fork().transactional(async (em) => {
      const transaction = em.getTransactionContext<object>()!;
      await em.getConnection().execute(WAIT_BRIEFLY_STATEMENT, [], 'run', transaction);
      await em.getConnection().execute(statement, [], 'run', transaction);
    }),
  );
}

/**
 * Sets columns in batches. A batch skips rows that a request has locked, so that it never waits while it holds locks,
 * and is repeated for the skipped rows.
 */
async function setRows(orm: Orm, table: string, { set, where }: { set: string; where: string }): Promise<number> {
  const statement = `
    with part as (select id from ${table} where id > ? and ${where} order by id limit ${BATCH_SIZE}),
    free as (select id from ${table} where id in (select id from part) for update skip locked),
    changed as (update ${table} set ${set} where id in (select id from free) and ${where} returning 1)
    select (select max(id)::text from part) as last, (select count(*) from part) - (select count(*) from free) as skipped,
      (select count(*)::int from changed) as changed`;
  type Row = { last: string | null; skipped: string; changed: number };
  let total = 0;
  for (let after = '0'; ;) {
    const [row] = (await query(orm, statement, [after])) as [Row];
    total += row.changed;
    if (row.last === null) return total;
    if (Number(row.skipped) === 0) after = row.last;
    else await delay(SKIPPED_ROWS_RETRY_MS);
  }
}

async function exists(orm: Orm, table: string): Promise<boolean> {
  return (await query(orm, `select 1 from pg_class where oid = to_regclass('${table}')`)).length > 0;
}

async function isExecuted(orm: Orm, migration: string): Promise<boolean> {
  const { tableName } = orm.em.config.get('migrations');
  return (await query(orm, `select 1 from ${tableName} where name = ?`, [migration])).length > 0;
}

async function query(orm: Orm, statement: string, values: readonly unknown[] = []): Promise<object[]> {
  return (await orm.em
    .fork()
    .getConnection()
    .execute(statement, [...values])) as object[];
}
