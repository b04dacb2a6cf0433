import { MikroORM } from '@mikro-orm/core';
import { Logger } from '@nestjs/common';
import { ormOptions } from '../../../mikro-orm.config.js';
import { installQueueSchema } from '../../reminder/index.js';
import type { DatabaseEnvironment } from '../../shared/config/env.js';
import {
  Distribution,
  migrateUp,
  detectDamageOnOpen,
  PendingMigrationsError,
  type Orm,
} from '../../shared/persistence/index.js';
import { explainOwnerErrors } from './owner-errors.js';

/** The database is distributed, and therefore cannot be used in this way. */
export class DistributedDatabaseError extends Error {}

/**
 * Migrations are written for one server: Citus refuses some of their statements, and puts tables that they create in the
 * wrong place.
 */
const NOT_MIGRATABLE =
  'The database is distributed: run "npm run distribute -- --undo" with the release that has migrated it, migrate it, and distribute it again.';
const INCOMPLETE =
  'The database is only partly distributed, because "npm run distribute" was interrupted: run it again, with --undo or without it.';
/** A transaction on a replica would not tell the servers its Clinic, so lists would be empty. */
const NO_REPLICA = 'The database is distributed, and cannot have a replica: remove DATABASE_REPLICA_URL.';

/** @throws DistributedDatabaseError if migrations are pending, or are to be reverted, and the database is distributed */
export async function refuseMigrationIfDistributed(orm: Orm, isDown = false): Promise<void> {
  const distribution = Distribution.of(orm.em.config);
  await distribution.load(orm);
  if (!distribution.isDistributed && !distribution.isIncomplete) return;
  if (isDown || (await orm.migrator.getPending()).length > 0) throw new DistributedDatabaseError(NOT_MIGRATABLE);
}

/**
 * Reads whether the database is distributed.
 *
 * @throws DistributedDatabaseError if it is only partly distributed, or is distributed and has a replica
 */
export async function detectDistribution(orm: Orm, database: DatabaseEnvironment): Promise<void> {
  const distribution = Distribution.of(orm.em.config);
  await distribution.load(orm);
  if (distribution.isIncomplete) throw new DistributedDatabaseError(INCOMPLETE);
  const hasReplica = database.kind === 'postgresql' && database.replica !== undefined;
  if (distribution.isDistributed && hasReplica) throw new DistributedDatabaseError(NO_REPLICA);
}

/**
 * Migrates the tables and installs the queue.
 *
 * @returns the names of the executed migrations
 */
export async function upgradeSchema(orm: Orm, database: DatabaseEnvironment): Promise<string[]> {
  await refuseMigrationIfDistributed(orm);
  const migrations = await migrateUp(orm, database);
  await installQueueSchema(orm, database);
  if (migrations.length > 0) new Logger('Start').log({ migrations }, 'migrated');
  return migrations;
}

/**
 * Checks that the login of the reminders may use the queue. A privilege is missing if a migration was interrupted
 * before it granted the privileges; run `npm run migrate` again.
 *
 * @throws PendingMigrationsError if the queue or a privilege is missing
 */
export async function requireUsableQueue({ em }: Pick<Orm, 'em'>, role: string): Promise<void> {
  const statement = `
    select 1 from pg_namespace where nspname = 'pgboss' and has_schema_privilege('${role}', oid, 'usage')
      and exists (select from pg_class where relnamespace = pg_namespace.oid and relname = 'job')
      and not exists (select from pg_class where relnamespace = pg_namespace.oid and relkind in ('r', 'p')
        and not has_table_privilege('${role}', oid, 'select, insert, update, delete'))`;
  const usable = (await em.fork().getConnection().execute(statement)) as object[];
  if (usable.length === 0) throw new PendingMigrationsError(1);
}

/**
 * Runs `work` on a separate connection that logs in as the table owner.
 *
 * @throws OwnerLoginError if the database cannot be used, or the login lacks a privilege
 */
export async function withOwnerConnection<T>(
  database: DatabaseEnvironment,
  work: (orm: Orm) => Promise<T>,
): Promise<T> {
  return explainOwnerErrors(database, async () => {
    const orm = await detectDamageOnOpen(database, async () => MikroORM.init(await ormOptions(database, 'owner')));
    try {
      return await detectDamageOnOpen(database, () => work(orm));
    } finally {
      await orm.close();
    }
  });
}
