import type { Options } from '@mikro-orm/core';
import { Migrator } from '@mikro-orm/migrations';
import { CompiledQuery, type DatabaseConnection } from 'kysely';
import { migrations } from './src/migrations/index.js';
import { MODULES } from './src/modules.js';
import { readEnvironment, type DatabaseEnvironment } from './src/shared/config/env.js';
import {
  lockDataDirectory,
  withFaultDetection,
  CONNECTION_LIFETIME_S,
  CONNECTION_TIMEOUT_MS,
  DatabaseDamage,
  databaseDirectory,
  closeHalfOpenConnections,
  TCP_KEEP_ALIVE,
  MultiHostClient,
  releaseStuckConnections,
  SERVICE_LOGIN_ROLE,
  ServiceEntityManager,
  SESSION_TIMEOUTS,
  withServiceRole,
  type Pool,
} from './src/shared/persistence/index.js';

type OrmOptions = Partial<Options>;

/**
 * One configuration for the application, the tests and the command line.
 *
 * @param as the service, whose transactions say as whom they act and are bounded in time; or the owner of the tables, who migrates them
 * @param damage where queries note that a page of the database is damaged
 */
export async function ormOptions(
  database: DatabaseEnvironment,
  as: 'service' | 'owner' = 'service',
  damage = new DatabaseDamage(),
): Promise<OrmOptions> {
  return {
    entities: MODULES.flatMap((module) => ('entities' in module ? [...module.entities] : [])),
    extensions: [Migrator],
    migrations: { migrationsList: migrations, snapshot: false, silent: true, tableName: 'schema_migration' },
    // Every look-up runs in a transaction of its own fork; a forgotten one fails instead of sharing state.
    allowGlobalContext: false,
    entityManager: ServiceEntityManager,
    colors: false,
    forceUndefined: false,
    // No entity has relations to keep in step: its fields are fields. As accessors they cost a quarter of the time of a list.
    propagationOnPrototype: false,
    ...(await driverOptions(database, as, damage)),
  };
}

async function driverOptions(
  database: DatabaseEnvironment,
  as: 'service' | 'owner',
  damage: DatabaseDamage,
): Promise<OrmOptions> {
  if (database.kind === 'postgresql') {
    const { ParameterisedDriver } = await import('./src/shared/persistence/driver/parameterised-connection.js');
    const { PipelinedClient } = await import('./src/shared/persistence/driver/pipelined-client.js');
    const clientUrl = as === 'owner' ? database.migrationUrl : withServiceRole(database.url);
    const client =
      as === 'owner'
        ? { ...OWNER_POOL, Client: MultiHostClient }
        : { ...SERVICE_POOL, Client: withFaultDetection(PipelinedClient, damage) };
    return {
      driver: ParameterisedDriver,
      clientUrl,
      // What is open stays open: requests that come and go would have PostgreSQL start a process for many of them.
      pool: { min: database.poolSize, max: database.poolSize },
      driverOptions: {
        ...client,
        // Of the URL, MikroORM hands only address and account to pg. So pg reads it, too: `sslmode`, `options`, hosts …
        connectionString: clientUrl,
      },
    };
  }
  // Loaded only where it is used: it is 20 MB of WebAssembly.
  const { PgliteDriver } = await import('@mikro-orm/pglite');
  // As a function, since MikroORM copies objects, and a Blob cannot be copied.
  const driverOptions = () => (database.template === undefined ? {} : { loadDataDir: database.template });
  return { driver: PgliteDriver, dbName: embeddedPath(database.dataDir), driverOptions };
}

const OWNER_POOL = { connectionTimeoutMillis: CONNECTION_TIMEOUT_MS, onPoolCreated: releaseStuckConnections };

const SERVICE_POOL = {
  ...OWNER_POOL,
  ...SESSION_TIMEOUTS,
  ...TCP_KEEP_ALIVE,
  pipeline: true,
  maxLifetimeSeconds: CONNECTION_LIFETIME_S,
  onPoolCreated: (pool: Pool) => {
    closeHalfOpenConnections(pool);
    releaseStuckConnections(pool);
  },
};

function embeddedPath(dataDir: string): string {
  return dataDir.startsWith('memory:') ? 'memory://' : databaseDirectory(dataDir);
}

/** For `npx mikro-orm`, which gets the rights of the service: it looks, and `npm run migrate` changes the schema. */
export default async () => {
  const { database } = readEnvironment();
  if (database.kind === 'postgresql') return ormOptions(database);
  // The embedded database is of one process at a time.
  lockDataDirectory(database.dataDir);
  return { ...(await ormOptions(database)), onCreateConnection: setServiceRole };
};

/** The embedded database lets its one connection in as the owner. Before the first migration there is no other role. */
async function setServiceRole(connection: unknown): Promise<void> {
  const statement = `
    do $$ begin
      if exists (select from pg_roles where rolname = '${SERVICE_LOGIN_ROLE}') then execute 'set role ${SERVICE_LOGIN_ROLE}'; end if;
    end $$`;
  await (connection as DatabaseConnection).executeQuery(CompiledQuery.raw(statement));
}
