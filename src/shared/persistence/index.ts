export { columns } from './entity-manager/columns.js';
export {
  claimDataDirectory,
  DataDirectoryDamagedError,
  databaseDirectory,
  DataDirectoryInUseError,
  openingDatabase,
} from './health/data-directory.js';
export {
  closedWhenUnfit,
  DatabaseDamage,
  databaseFault,
  unreadableTables,
  watchEmbedded,
  type DatabaseFault,
} from './health/database-health.js';
export { insertAll, insertDeferred } from './entity-manager/bulk-insert.js';
export { formatInstant, InstantType, isStorable } from './entity-manager/instant.type.js';
export {
  CONNECTION_LIFETIME_S,
  CONNECTION_TIMEOUT_MS,
  KEPT_ALIVE,
  releaseStuckConnections,
  SESSION_LIMITS,
  type Pool,
} from './driver/connection-pool.js';
export { MultiHostClient } from './driver/multi-host-client.js';
export { DEFERRED } from './driver/deferred-statement.js';
export { closeHalfOpenConnections, withQueryTimeout } from './driver/half-open-connections.js';
export { grantAll, migrateUp, PendingMigrationsError, requireMigrated } from './migrations/migrate.js';
export type { Orm } from './driver/orm.js';
export { migrateDown, requireNothingLost, RowsWouldBeLostError } from './migrations/migrate-down.js';
export { lastBatch, type MigrationBatch } from './migrations/migration-batch.js';
export { actingAs, sessionOf, type Actor } from './tenancy/database-session.js';
export { RequestTransaction, type RequestSteps } from './entity-manager/request-transaction.js';
export { UNTRACKED, TenantEntityManager, type OfClinic } from './tenancy/tenant-entity-manager.js';
export { SERVICE_LOGIN, withOptions, withoutRights } from './tenancy/service-login.js';
export { afterCommit, ServiceEntityManager, inSavepoint } from './entity-manager/service-entity-manager.js';
export { updateAll } from './entity-manager/bulk-update.js';
export { verbatim } from './driver/raw-statement.js';
