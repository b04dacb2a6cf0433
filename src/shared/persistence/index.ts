export { columns } from './unit/columns.js';
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
export { insertAll, insertDeferred } from './unit/insert-all.js';
export { formatInstant, InstantType, isStorable } from './unit/instant.type.js';
export {
  CONNECTION_LIFETIME_S,
  CONNECTION_TIMEOUT_MS,
  KEPT_ALIVE,
  releaseStuckConnections,
  SESSION_LIMITS,
  type Pool,
} from './driver/pooled-connections.js';
export { MultiHostClient } from './driver/multi-host-client.js';
export { DEFERRED } from './driver/deferred.js';
export { closeHalfOpenConnections, withQueryTimeout } from './driver/half-open-connections.js';
export { grantAll, migrateUp, PendingMigrationsError, requireMigrated } from './migrations/migrate.js';
export type { Orm } from './driver/orm.js';
export { migrateDown, requireNothingLost, RowsWouldBeLostError } from './migrations/migrate-down.js';
export { lastBatch, type MigrationBatch } from './migrations/migration-batch.js';
export { actingAs, sessionOf, type Actor } from './driver/database-session.js';
export { RequestTransaction, type RequestSteps } from './tenancy/request-transaction.js';
export { UNTRACKED, TenantEntityManager, type OfClinic } from './tenancy/tenant-entity-manager.js';
export { SERVICE_LOGIN, withOptions, withoutRights } from './tenancy/service-login.js';
export { afterCommit, ServiceEntityManager, inSavepoint } from './unit/service-entity-manager.js';
export { updateAll } from './unit/update-all.js';
export { verbatim } from './driver/raw-statement.js';
