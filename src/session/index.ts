// The door of the Sessions: other modules import from here and from nowhere deeper.
export type { SeriesChange } from './dto/series-change.js';
export type { SessionModel } from './dto/session-model.js';
export { Homework } from './homework.entity.js';
export { SessionSeries } from './session-series.entity.js';
export { Session } from './session.entity.js';
export { SessionModule } from './session.module.js';
export { SessionTimes, type MovedTime } from './session-times.js';
export { SessionReader } from './session.reader.js';
