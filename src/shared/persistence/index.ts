export { columnTypes } from './entity-manager/columns.js';
export {
  lockDataDirectory,
  DataDirectoryDamagedError,
  getDatabaseDirectory,
  DataDirectoryInUseError,
  detectDamageOnOpen,
} from './health/data-directory.js';
export { prepareDataDirectory } from './health/database-template.js';
export {
  withFaultDetection,
  DatabaseDamage,
  findDatabaseFault,
  findUnreadableTables,
  detectEmbeddedDamage,
  type DatabaseFault,
} from './health/database-health.js';
export { bulkInsert } from './entity-manager/bulk-insert.js';
export { formatEpochMilliseconds, formatInstant, isStorableInstant } from './entity-manager/instant.type.js';
export {
  MAX_CONNECTION_AGE_S,
  CONNECTION_TIMEOUT_MS,
  TCP_KEEP_ALIVE,
  releaseStuckConnections,
  SESSION_TIMEOUTS_MS,
  type PoolWithClientClass,
} from './driver/connection-pool.js';
export type { ParameterisedDriver } from './driver/parameterised-driver.js';
export { traceEmbeddedStatements, withStatementSpans } from './driver/statement-spans.js';
export { sendTogether } from './driver/send-together.js';
export { MultiHostClient } from './driver/multi-host-client.js';
export { awaitDeferred, executeDeferred } from './entity-manager/execute-statement.js';
export { closeHalfOpenConnections, withHalfOpenDetection } from './driver/half-open-connections.js';
export { executeGrants, migrateUp, PendingMigrationsError, requireCurrentSchema } from './migrations/migrate.js';
export { TableInUseError } from './migrations/brief-locks.js';
export { prepareOnline, type OnlinePreparation } from './migrations/online-preparation.js';
export type { Orm } from './driver/orm.js';
export { migrateDown, requireNoDataLoss, MigrationDataLossError } from './migrations/migrate-down.js';
export { findLastBatch, type MigrationBatch } from './migrations/migration-batch.js';
export type { Actor } from './tenancy/actor.js';
export { acquireExclusiveClinicLockSql, acquireSharedClinicLockSql } from './tenancy/clinic-lock.sql.js';
export { findActorClinicId } from './tenancy/database-session.js';
export { forkForActor, toDatabaseSession } from './tenancy/database-session.js';
export { buildSessionStatement } from './tenancy/session-variables.js';
export { LogPosition, POSITION_TOKEN_PATTERN } from './replica/log-position.js';
export { ReplicaDatabase, readPrimaryPosition, type ReplicaOptions } from './replica/replica-database.js';
export { createStreamingTransactionRunner, type RunInTransaction } from './replica/replica-read.js';
export { type ReplicaFault } from './replica/replica-server.js';
export {
  assertTransactionNotTooLong,
  MAX_TRANSACTION_MS,
  RequestTransaction,
} from './entity-manager/request-transaction.js';
export {
  FOR_BULK_UPDATE,
  TenantEntityManager,
  type TenantFilter,
  UNTRACKED,
  type AnyEntityManager,
} from './tenancy/tenant-entity-manager.js';
export { requireServiceLogins, WrongLoginError } from './tenancy/login-check.js';
export { LOGIN_POOL_SIZES, DATABASE_LOGINS, type LoginName } from './tenancy/logins.js';
export {
  getLoginRole,
  getLoginUrl,
  SHARED_LOGIN_ROLE,
  withConnectionOptions,
  withLoginRole,
} from './tenancy/service-login.js';
export {
  afterCommit,
  computeDigests,
  decryptRows,
  encryptionOf,
  ServiceEntityManager,
  inSavepoint,
  withEncryption,
} from './entity-manager/service-entity-manager.js';
export { countRows, concatenateAndConditions } from './entity-manager/list-statements.js';
export { bulkUpdate } from './entity-manager/bulk-update.js';
export { toAfterKeyFilter, toOneOfFilter, toOneOfFilters } from './entity-manager/value-filter.js';
export { toCompiledQuery } from './driver/raw-statement.js';
export { EncryptionSubscriber } from './encryption/encryption.subscriber.js';
export { findEncryptedTable } from './encryption/encrypted-tables.js';
export { findEncryptedTexts } from './encryption/encrypted-text-condition.js';
export { encryptExistingRows } from './encryption/encrypt-existing-rows.js';
export { countPlainRowsOfClinic, countPlainRowsOfMovingClinics } from './encryption/plain-rows.js';
export { RowsInUseError } from './encryption/rows-in-use-error.js';
export { MissingKeysError, requireKeyStoreOf, requireMatchingKeyStore } from './encryption/key-store-check.js';
export { FieldEncryption, type PlacedText } from './encryption/field-encryption.js';
export { createInstallationDigest } from './encryption/installation-digest.js';
export {
  ERASED_TEXT_PLACEHOLDER,
  isUnreadableText,
  UNREADABLE_TEXT_PLACEHOLDER,
} from './encryption/unreadable-texts.js';
export { isDistributedTable, DISTRIBUTION_BOOKKEEPING_TABLES } from './distribution/distributed-tables.js';
export { DatabaseDistribution, NotDistributableError, type DistributionOptions } from './distribution/distribute.js';
export {
  Distribution,
  findTransactionClinicId,
  isServerFailure,
  isStatementTimeout,
  isUnreachableServerError,
} from './distribution/distribution.js';
export {
  ALL_CLINICS,
  inClinicSql,
  clinicIsNotMovingSql,
  inClinicGroupSql,
  type ClinicGroup,
} from './distribution/clinic-scopes.js';
