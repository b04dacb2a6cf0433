import type { SessionSeries } from './session-series.entity.js';
import type { Session } from './session.entity.js';

/**
 * A series whose row is locked until the transaction ends. `members` are its Sessions in the order of their start; a
 * change of a single Session reads only that one.
 */
export type LockedSeries = { series: SessionSeries; members: Session[]; now: Temporal.Instant };
