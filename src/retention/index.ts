// Public interface of this module. Other modules import nothing else from it.
export { RetentionModule } from './retention.module.js';
export { RetentionRun } from './run/retention.run.js';
