export { columns } from './columns.js';
export { claimDataDirectory, DataDirectoryInUseError } from './data-directory.js';
export { formatInstant, InstantType, isStorable } from './instant.type.js';
export { migrateDown, migrateUp, PendingMigrationsError, requireMigrated } from './migrate.js';
