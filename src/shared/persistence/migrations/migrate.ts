import type { DatabaseEnvironment } from '../../config/env.js';
import { retryWhileTablesAreInUse, WAIT_BRIEFLY_STATEMENT } from './brief-locks.js';
import { recordBatch } from './migration-batch.js';
import type { Orm } from '../driver/orm.js';

/** Key of the advisory lock that makes instances migrate one after another if they start at the same time. */
const MIGRATION_LOCK = 4_711_2026;

/** The database schema is older than this release requires. */
export class PendingMigrationsError extends Error {
  constructor(count: number) {
    super(`The database lacks ${count} migration(s): run "npm run migrate", or set MIGRATE_ON_START=true.`);
  }
}

/**
 * Runs all pending migrations in one transaction. If several instances start at once, only one runs the migrations.
 *
 * @throws TableInUseError if a table cannot be locked
 */
export async function migrateUp(orm: Orm, database: DatabaseEnvironment): Promise<string[]> {
  // The migrator takes 0.2 s to find that on the embedded database.
  if ((await countPendingMigrations(orm)) === 0) return [];
  await prepareMigrator(orm, database);
  return retryWhileTablesAreInUse(() => runPendingMigrations(orm));
}

function runPendingMigrations(orm: Orm): Promise<string[]> {
  return withMigrationLock(orm, async (transaction) => {
    await orm.em.getConnection().execute(WAIT_BRIEFLY_STATEMENT, [], 'run', transaction);
    const names = toMigrationNames(await orm.migrator.up({ transaction }));
    // New sequences get the range of the installation, and new tables refuse changes of a Clinic that has moved.
    const complete = 'select apply_id_range(), enable_clinic_moves()';
    if (names.length > 0) await orm.em.getConnection().execute(complete, [], 'run', transaction);
    await recordBatch(orm, names, transaction);
    return names;
  });
}

/**
 * Creates the migrator's own table in the embedded database before the transaction begins. The migrator would create
 * the table outside that transaction, which already uses the embedded database's only connection.
 */
export async function prepareMigrator(orm: Orm, database: DatabaseEnvironment): Promise<void> {
  if (database.kind === 'embedded') await orm.migrator.getExecuted();
}

/** Executes GRANT statements in one transaction, with a lock because concurrent grants on the same object fail. */
export async function executeGrants(orm: Orm, statements: readonly string[]): Promise<void> {
  const connection = orm.em.getConnection();
  await withMigrationLock(orm, async (transaction) => {
    for (const statement of statements) await connection.execute(statement, [], 'run', transaction);
  });
}

/** Runs work in a transaction that holds the migration lock. */
export function withMigrationLock<T>(orm: Orm, work: (transaction: object) => Promise<T>): Promise<T> {
  return orm.em.fork().transactional(async (em) => {
    const transaction = em.getTransactionContext<object>()!;
    await em.getConnection().execute(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`, [], 'run', transaction);
    return work(transaction);
  });
}

/**
 * Checks that no migration is pending. Needs only the service's privileges, which allow reading the migration table but
 * not creating it.
 *
 * @throws PendingMigrationsError if a migration is pending
 */
export async function requireCurrentSchema(orm: Orm): Promise<void> {
  const pending = await countPendingMigrations(orm);
  if (pending > 0) throw new PendingMigrationsError(pending);
}

async function countPendingMigrations(orm: Orm): Promise<number> {
  const { migrationsList = [], tableName } = orm.em.config.get('migrations');
  const connection = orm.em.fork().getConnection();
  const rows: unknown = await connection.execute(`select name from ${tableName}`).catch((error: unknown): unknown[] => {
    if (error instanceof Error && NOT_MIGRATED_CODES.has(String(Reflect.get(error, 'code')))) return [];
    throw error;
  });
  const done = new Set((rows as { name: string }[]).map(({ name }) => name));
  return migrationsList.filter((migration) => !done.has(migration.name)).length;
}

/** The SQLSTATEs of errors if no migration has run yet: undefined table, insufficient privilege, undefined role. */
const NOT_MIGRATED_CODES = new Set(['42P01', '42501', '22023']);

export function toMigrationNames(migrations: readonly { name: string }[]): string[] {
  return migrations.map((migration) => migration.name);
}
