export { acquireExclusiveRetentionLockSql, acquireSharedRetentionLockSql } from './retention-lock.sql.js';
