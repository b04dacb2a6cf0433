export { runForEachClinicGroup, runForEachClinicWithClaims } from './clinic-parts.js';
export { runIndependentParts } from './independent-parts.js';
export { Scheduler } from './scheduler.js';
export { SchedulerModule } from './scheduler.module.js';
