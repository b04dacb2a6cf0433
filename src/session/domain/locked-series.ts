import type { SessionSeries } from './session-series.entity.js';
import type { Session } from './session.entity.js';

/**
 * A series whose row is locked until the transaction ends. `members` contains its Sessions in order of start, or only
 * the changed Session if the change does not need the others.
 */
export type LockedSeries = { series: SessionSeries; members: Session[]; now: Temporal.Instant };
