export { columns } from './columns.js';
export {
  claimDataDirectory,
  DataDirectoryDamagedError,
  databaseDirectory,
  DataDirectoryInUseError,
  openingDatabase,
} from './data-directory.js';
export {
  closedWhenUnfit,
  DatabaseDamage,
  databaseFault,
  unreadableTables,
  watchEmbedded,
  type DatabaseFault,
} from './database-health.js';
export { insertAll, insertAllUnasked } from './insert-all.js';
export { formatInstant, InstantType, isStorable } from './instant.type.js';
export {
  CONNECTION_LIFETIME_S,
  CONNECTION_TIMEOUT_MS,
  KEPT_ALIVE,
  releaseStuckConnections,
  SESSION_LIMITS,
  type Pool,
} from './pooled-connections.js';
export { MultiHostClient } from './multi-host-client.js';
export { SENT_WITH_NEXT } from './sent-with-next.js';
export { giveUpSilentConnections, notForEver } from './silent-connections.js';
export { grantAll, migrateUp, PendingMigrationsError, requireMigrated } from './migrate.js';
export type { Orm } from './orm.js';
export { migrateDown, requireNothingLost, RowsWouldBeLostError } from './migrate-down.js';
export { lastBatch, type MigrationBatch } from './migration-batch.js';
export { actingAs, sessionOf, type Actor } from './database-session.js';
export { RequestTransaction, type RequestSteps } from './request-transaction.js';
export { AS_IT_IS, TenantEntityManager, type OfClinic } from './tenant-entity-manager.js';
export { SERVICE_LOGIN, withOptions, withoutRights } from './service-login.js';
export { afterCommit, ServiceEntityManager, undoable } from './service-entity-manager.js';
export { updateAll } from './update-all.js';
export { verbatim } from './verbatim.js';
