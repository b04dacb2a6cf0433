import type { Options } from '@mikro-orm/core';
import { Migrator } from '@mikro-orm/migrations';
import { join } from 'node:path';
import { RevokedToken } from './src/auth/index.js';
import { CalendarLink } from './src/calendar/index.js';
import { DesignPlan, DesignPlanRevision } from './src/design-plan/index.js';
import { Book, CareProvider, Client, ClientAssignment, Clinic } from './src/directory/index.js';
import { migrations } from './src/migrations/index.js';
import { Reminder, ReminderPreference } from './src/reminder/index.js';
import { Homework, Session, SessionSeries } from './src/session/index.js';
import { ServiceEntityManager, withoutRights } from './src/shared/persistence/index.js';
import { readEnvironment, type DatabaseEnvironment } from './src/shared/env.js';

type OrmOptions = Partial<Options>;

/** How long a caller waits for a free connection before 503, in milliseconds. */
const CONNECTION_TIMEOUT_MS = 5_000;

/**
 * One configuration for the application, the tests and the command line.
 *
 * @param as the service, whose transactions say as whom they act; or the owner of the tables, who migrates them
 */
export async function ormOptions(
  database: DatabaseEnvironment,
  as: 'service' | 'owner' = 'service',
): Promise<OrmOptions> {
  return {
    entities: [
      Clinic,
      CareProvider,
      Client,
      Book,
      ClientAssignment,
      DesignPlan,
      DesignPlanRevision,
      SessionSeries,
      Session,
      Homework,
      Reminder,
      CalendarLink,
      ReminderPreference,
      RevokedToken,
    ],
    extensions: [Migrator],
    migrations: { migrationsList: migrations, snapshot: false, silent: true, tableName: 'schema_migration' },
    // Every look-up runs in a transaction of its own fork; a forgotten one fails instead of sharing state.
    allowGlobalContext: false,
    entityManager: ServiceEntityManager,
    colors: false,
    forceUndefined: false,
    ...(await driverOptions(database, as)),
  };
}

async function driverOptions(database: DatabaseEnvironment, as: 'service' | 'owner'): Promise<OrmOptions> {
  if (database.kind === 'postgresql') {
    const { PostgreSqlDriver } = await import('@mikro-orm/postgresql');
    return {
      driver: PostgreSqlDriver,
      clientUrl: as === 'owner' ? database.migrationUrl : withoutRights(database.url),
      pool: { min: 0, max: database.poolSize },
      driverOptions: { connectionTimeoutMillis: CONNECTION_TIMEOUT_MS, onPoolCreated: releaseStuckConnections },
    };
  }
  // Loaded only where it is used: it is 20 MB of WebAssembly.
  const { PgliteDriver } = await import('@mikro-orm/pglite');
  return { driver: PgliteDriver, dbName: embeddedPath(database.dataDir) };
}

/**
 * A transaction that cannot begin or roll back, as its connection is lost, would keep its place in the pool for
 * ever (kysely issue 1990): ten of them, and the service has none left.
 */
function releaseStuckConnections(pool: { Client: new () => PooledClient }): void {
  pool.Client = class extends pool.Client {
    override query(...statement: unknown[]): unknown {
      const result = super.query(...statement);
      if (statement[0] === 'begin' || statement[0] === 'rollback') {
        (result as Promise<unknown>).catch(() => this.release(true));
      }
      return result;
    }
  };
}

type PooledClient = { query(...statement: unknown[]): unknown; release(destroy: boolean): void };

function embeddedPath(dataDir: string): string {
  return dataDir.startsWith('memory:') ? 'memory://' : join(dataDir, 'database');
}

export default async () => ormOptions(readEnvironment().database);
