import { RELEASE } from '../../config/release.js';
import type { Orm } from '../driver/orm.js';

/*
 * Records which release ran which migrations. MikroORM's table stores the name and time of each migration. Two
 * additional columns store the release and the batch number; a batch is all migrations of one run. No migration creates
 * these columns, because they must survive `migrate down`.
 */

/** The migrations of one run. `release` is null if they were run by an early release, which did not record itself. */
export type MigrationBatch = { release: string | null; names: string[] };

/** Records the migrations that this transaction has run as one batch of this release. */
export async function recordBatch(orm: Orm, names: readonly string[], transaction: object): Promise<void> {
  if (names.length === 0) return;
  await numberBatches(orm, transaction);
  const table = migrationTable(orm);
  const statement = `update ${table} set release = ? where batch = (select max(batch) from ${table})`;
  await orm.em.getConnection().execute(statement, [RELEASE], 'run', transaction);
}

/** Returns the migrations of the last run, oldest first. */
export async function findLastBatch(orm: Orm): Promise<MigrationBatch> {
  // Creates MikroORM's migration table if it does not exist.
  await orm.migrator.getExecuted();
  return orm.em.fork().transactional(async (em) => {
    const transaction = em.getTransactionContext<object>()!;
    await numberBatches(orm, transaction);
    const table = migrationTable(orm);
    const statement = `select name, release from ${table} where batch = (select max(batch) from ${table}) order by id`;
    type Row = { name: string; release: string | null };
    const rows = (await orm.em.getConnection().execute(statement, [], 'all', transaction)) as Row[];
    return { release: rows[0]?.release ?? null, names: rows.map(({ name }) => name) };
  });
}

/**
 * Numbers the migrations that have no batch number. A run is one transaction, so all its migrations have the same time.
 * The time also separates the batches of earlier releases, which recorded no numbers.
 */
async function numberBatches(orm: Orm, transaction: object): Promise<void> {
  const [connection, table] = [orm.em.getConnection(), migrationTable(orm)];
  const column = `select 1 from pg_attribute where attrelid = '${table}'::regclass and attname = 'batch'`;
  const columns = (await connection.execute(column, [], 'all', transaction)) as object[];
  if (columns.length === 0) {
    const statement = `alter table ${table} add column batch integer, add column release text`;
    await connection.execute(statement, [], 'run', transaction);
  }
  const statement = `
    update ${table} set batch = run.batch from (
      select id, (select coalesce(max(batch), 0) from ${table}) + dense_rank() over (order by executed_at) as batch
      from ${table} where batch is null) as run
    where run.id = ${table}.id`;
  await connection.execute(statement, [], 'run', transaction);
}

function migrationTable({ em }: Orm): string {
  return em.config.get('migrations').tableName!;
}
