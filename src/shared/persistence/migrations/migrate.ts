import type { DatabaseEnvironment } from '../../config/env.js';
import { recordBatch } from './migration-batch.js';
import type { Orm } from '../driver/orm.js';

/** Any constant: instances that start at once take turns on it. */
const MIGRATION_LOCK = 4_711_2026;

/** The schema of the database is older than this release. */
export class PendingMigrationsError extends Error {
  constructor(count: number) {
    super(`The database lacks ${count} migration(s): run "npm run migrate", or set MIGRATE_ON_START=true.`);
  }
}

/** Brings the schema up to this release, all or nothing. Of instances that start at once, one does it. */
export async function migrateUp(orm: Orm, database: DatabaseEnvironment): Promise<string[]> {
  await prepareMigrator(orm, database);
  return withMigrationLock(orm, async (transaction) => {
    const names = toNames(await orm.migrator.up({ transaction }));
    await recordBatch(orm, names, transaction);
    return names;
  });
}

/**
 * The migrator makes its own table outside the transaction that it is given. The embedded database has one connection,
 * which that transaction holds, so there it has to be made before.
 */
export async function prepareMigrator(orm: Orm, database: DatabaseEnvironment): Promise<void> {
  if (database.kind === 'embedded') await orm.migrator.getExecuted();
}

/** Gives rights, all or none. PostgreSQL fails where two give rights to the same thing at once. */
export async function executeGrants(orm: Orm, statements: readonly string[]): Promise<void> {
  const connection = orm.em.getConnection();
  await withMigrationLock(orm, async (transaction) => {
    for (const statement of statements) await connection.execute(statement, [], 'run', transaction);
  });
}

/** One transaction, of instances that come to it at once one after the other. */
export function withMigrationLock<T>(orm: Orm, work: (transaction: object) => Promise<T>): Promise<T> {
  return orm.em.fork().transactional(async (em) => {
    const transaction = em.getTransactionContext<object>()!;
    await em.getConnection().execute(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`, [], 'run', transaction);
    return work(transaction);
  });
}

/**
 * Asks with the rights of the service, which may read what has been migrated and make nothing.
 *
 * @throws PendingMigrationsError
 */
export async function requireCurrentSchema(orm: Orm): Promise<void> {
  const { migrationsList = [], tableName } = orm.em.config.get('migrations');
  const connection = orm.em.fork().getConnection();
  const done: unknown = await connection.execute(`select name from ${tableName}`).catch((error: unknown): unknown[] => {
    if (error instanceof Error && NOT_MIGRATED_CODES.has(String(Reflect.get(error, 'code')))) return [];
    throw error;
  });
  const pending = migrationsList.length - (done as unknown[]).length;
  if (pending > 0) throw new PendingMigrationsError(pending);
}

/** No such table, no right to it, and no such role: what a database says that no migration has seen. */
const NOT_MIGRATED_CODES = new Set(['42P01', '42501', '22023']);

export function toNames(migrations: readonly { name: string }[]): string[] {
  return migrations.map((migration) => migration.name);
}
