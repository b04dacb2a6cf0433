export { columns } from './columns.js';
export { claimDataDirectory, DataDirectoryInUseError } from './data-directory.js';
export { formatInstant, InstantType, isStorable } from './instant.type.js';
export {
  CONNECTION_TIMEOUT_MS,
  giveUpSilentConnections,
  releaseStuckConnections,
  SESSION_LIMITS,
  type Pool,
} from './pooled-connections.js';
export { migrateDown, migrateUp, PendingMigrationsError, requireMigrated } from './migrate.js';
