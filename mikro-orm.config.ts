import type { Options } from '@mikro-orm/core';
import { Migrator } from '@mikro-orm/migrations';
import { CompiledQuery, type DatabaseConnection } from 'kysely';
import { migrations } from './src/migrations/index.js';
import { MODULES } from './src/modules.js';
import { readEnvironment, type DatabaseEnvironment } from './src/shared/config/env.js';
import {
  lockDataDirectory,
  withFaultDetection,
  MAX_CONNECTION_AGE_S,
  CONNECTION_TIMEOUT_MS,
  DatabaseDamage,
  getDatabaseDirectory,
  closeHalfOpenConnections,
  TCP_KEEP_ALIVE,
  MultiHostClient,
  releaseStuckConnections,
  LOGIN_POOL_SIZES,
  DATABASE_LOGINS,
  getLoginRole,
  getLoginUrl,
  SHARED_LOGIN_ROLE,
  FieldEncryption,
  EncryptionSubscriber,
  withEncryption,
  SESSION_TIMEOUTS_MS,
  withLoginRole,
  withStatementSpans,
  type PoolWithClientClass,
} from './src/shared/persistence/index.js';
import type { LoginConnections } from './src/shared/persistence/driver/parameterised-driver.js';
import { Tracing } from './src/shared/tracing/index.js';

type OrmOptions = Partial<Options>;
type Connections = 'service' | 'owner' | 'replica';
type ConnectingPool = PoolWithClientClass & { on(event: 'connect', listener: () => void): unknown };

/**
 * Returns the MikroORM configuration for the application, the tests and the command line.
 *
 * @param as `service`: connections with the service's role and timeouts; `owner`: connections as the table owner, for
 *   migrations; `replica`: as `service`, to the replica
 * @param damage records whether a query has found a damaged page
 * @param tracing records a span for each statement of the service, if it is on
 * @param encryption encrypts and decrypts columns; without it, rows are written in clear text
 */
export async function ormOptions(
  database: DatabaseEnvironment,
  as: Connections = 'service',
  damage = new DatabaseDamage(),
  tracing = new Tracing(),
  encryption = new FieldEncryption(),
): Promise<OrmOptions> {
  return {
    entities: MODULES.flatMap((module) => ('entities' in module ? [...module.entities] : [])),
    extensions: [Migrator],
    migrations: { migrationsList: migrations, snapshot: false, silent: true, tableName: 'schema_migration' },
    // Finds require a fork: on the global EntityManager, they fail instead of sharing an identity map.
    allowGlobalContext: false,
    entityManager: withEncryption(encryption),
    subscribers: [new EncryptionSubscriber(encryption)],
    colors: false,
    forceUndefined: false,
    // Entities have no relations to propagate, so they need no property accessors, which take a quarter of the time of
    // a list request.
    propagationOnPrototype: false,
    ...(await driverOptions(database, as, damage, tracing, encryption)),
  };
}

async function driverOptions(
  database: DatabaseEnvironment,
  as: Connections,
  damage: DatabaseDamage,
  tracing: Tracing,
  encryption: FieldEncryption,
): Promise<OrmOptions> {
  if (database.kind === 'postgresql') {
    const { ParameterisedDriver, withLogins } = await import('./src/shared/persistence/driver/parameterised-driver.js');
    const { PipelinedClient } = await import('./src/shared/persistence/driver/pipelined-client.js');
    const { ReplicaClient } = await import('./src/shared/persistence/replica/replica-client.js');
    const clientUrl = findUrl(database, as);
    // The preparation of a migration holds a lock on one connection while another one executes its statements.
    const poolSize = as === 'owner' ? Math.max(database.poolSize, 2) : database.poolSize;
    const TracedClient = withStatementSpans(PipelinedClient, tracing);
    const clients = {
      owner: { ...OWNER_POOL, Client: MultiHostClient },
      service: { ...createServicePool(encryption), Client: withFaultDetection(TracedClient, damage) },
      // Damage to the replica does not concern the service: it reads from the primary instead.
      replica: { ...REPLICA_POOL, Client: withStatementSpans(ReplicaClient, tracing) },
    };
    return {
      driver:
        as === 'service' && database.logins !== undefined
          ? withLogins(listConnections(database, clients.service))
          : ParameterisedDriver,
      clientUrl,
      // Keeps all connections open, because PostgreSQL starts a process for each new connection.
      pool: { min: poolSize, max: poolSize },
      driverOptions: {
        ...clients[as],
        // MikroORM passes only the address and the account to pg, which reads the rest from the URL: `sslmode`,
        // `options`, further hosts.
        connectionString: clientUrl,
      },
    };
  }
  // Imported only when used, because the package contains 20 MB of WebAssembly.
  const { EmbeddedDriver, PGLITE_OPTIONS } = await import('./src/shared/persistence/driver/embedded-connection.js');
  // A function, because MikroORM clones option objects and a Blob cannot be cloned.
  const driverOptions = () => ({
    ...PGLITE_OPTIONS,
    ...(database.template === undefined ? {} : { loadDataDir: database.template }),
  });
  return { driver: EmbeddedDriver, dbName: embeddedPath(database.dataDir), driverOptions };
}

const OWNER_POOL = { connectionTimeoutMillis: CONNECTION_TIMEOUT_MS, onPoolCreated: releaseStuckConnections };

const SERVICE_POOL = {
  ...OWNER_POOL,
  ...SESSION_TIMEOUTS_MS,
  ...TCP_KEEP_ALIVE,
  pipeline: true,
  maxLifetimeSeconds: MAX_CONNECTION_AGE_S,
  onPoolCreated: (pool: PoolWithClientClass) => {
    closeHalfOpenConnections(pool);
    releaseStuckConnections(pool);
  },
};

function createServicePool(encryption: FieldEncryption) {
  const onPoolCreated = (pool: ConnectingPool) => {
    SERVICE_POOL.onPoolCreated(pool);
    pool.on('connect', () => encryption.forgetReservedIds());
  };
  return { ...SERVICE_POOL, onPoolCreated };
}

/** A replica that is slow is not waited for, because the primary can answer as well. */
const REPLICA_STATEMENT_TIMEOUT_MS = 5_000;

const REPLICA_POOL = {
  ...SERVICE_POOL,
  connectionTimeoutMillis: 1_000,
  statement_timeout: REPLICA_STATEMENT_TIMEOUT_MS,
  lock_timeout: 1_000,
  onPoolCreated: (pool: PoolWithClientClass) => {
    closeHalfOpenConnections(pool, REPLICA_STATEMENT_TIMEOUT_MS);
    releaseStuckConnections(pool);
  },
};

type PostgresqlEnvironment = DatabaseEnvironment & { kind: 'postgresql' };

function findUrl(database: PostgresqlEnvironment, as: Connections): string {
  if (as === 'owner') return database.migrationUrl;
  if (as === 'replica') return withLoginRole(database.replica!.url, getLoginRole(database, 'requests'));
  return getLoginUrl(database, 'requests');
}

/** Returns the options of the connections that the logins besides that of requests have. */
function listConnections(database: PostgresqlEnvironment, client: object): LoginConnections[] {
  return Object.entries(LOGIN_POOL_SIZES).flatMap(([given, poolSize]) => {
    const name = given as keyof typeof LOGIN_POOL_SIZES;
    if (database.logins?.[name] === undefined) return [];
    const clientUrl = getLoginUrl(database, name);
    const driverOptions = { ...client, connectionString: clientUrl, min: poolSize, max: poolSize };
    return [{ name, actsAs: DATABASE_LOGINS[name].actsAs, options: { clientUrl, driverOptions } }];
  });
}

function embeddedPath(dataDir: string): string {
  return dataDir.startsWith('memory:') ? 'memory://' : getDatabaseDirectory(dataDir);
}

/**
 * The configuration for `npx mikro-orm`, which has the service's privileges and cannot change the schema. To change the
 * schema, use `npm run migrate`.
 */
export default async () => {
  const { database } = readEnvironment();
  if (database.kind === 'postgresql') return ormOptions(database);
  // Only one process at a time can use the embedded database.
  lockDataDirectory(database.dataDir);
  return { ...(await ormOptions(database)), onCreateConnection: setServiceRole };
};

/**
 * Sets the service's role on the connection to the embedded database, which logs in as the owner. The role does not
 * exist until the migration "isolation" has run.
 */
async function setServiceRole(connection: unknown): Promise<void> {
  const statement = `
    do $$ begin
      if exists (select from pg_roles where rolname = '${SHARED_LOGIN_ROLE}') then execute 'set role ${SHARED_LOGIN_ROLE}'; end if;
    end $$`;
  await (connection as DatabaseConnection).executeQuery(CompiledQuery.raw(statement));
}
