// Public interface of this module. Other modules import nothing else from it.
export { RetentionModule } from './retention.module.js';
export { RetentionRun, type RemovedRecords } from './run/retention.run.js';
export { ERASED_RETENTION_SETTINGS } from './retention-erasure.js';
