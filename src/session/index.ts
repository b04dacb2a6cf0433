// Public API of the session module. Other modules import from this file only.
export type { SeriesChange } from './scheduling/dto/series-change.js';
export type { SessionModel } from './reading/dto/session-model.js';
export { ApplyPlanService } from './booking/apply-plan.service.js';
export { SessionBookingService } from './booking/session-booking.service.js';
export { applyPlanSchema } from './booking/dto/apply-plan.js';
export { createSessionsSchema } from './booking/dto/create-sessions.js';
export { HomeworkService } from './homework/homework.service.js';
export { SessionLifecycleService } from './lifecycle/session-lifecycle.service.js';
export { SeriesService } from './series/series.service.js';
export { Homework } from './domain/homework.entity.js';
export { sessionSchema } from './reading/dto/session-model.js';
export { SessionExportSource } from './export/session-export.source.js';
export { exportedSeriesSchema } from './export/exported-series.js';
export { SessionSeries } from './domain/session-series.entity.js';
export { Session } from './domain/session.entity.js';
export { SessionModule } from './session.module.js';
export { SessionTimeRecomputation, type SessionTimeChange } from './scheduling/session-time-recomputation.js';
export { conflictExtensions } from './scheduling/schedule-conflict.js';
export { SessionLookup } from './scheduling/session-lookup.js';
export { TOMBSTONE_ROWS_TO_ERASE, SESSION_ROWS_TO_ERASE } from './erasure/session-erasure.js';
export {
  SESSION_DATA_KINDS,
  SessionRetention,
  type EndedSeriesFilter,
  type SessionDataKind,
} from './retention/session-retention.js';
