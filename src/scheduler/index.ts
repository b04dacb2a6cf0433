export type { JobDefinition, JobStatus } from './job.js';
export { Scheduler } from './scheduler.js';
export { SchedulerModule } from './scheduler.module.js';
