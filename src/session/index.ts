// The door of the Sessions: other modules import from here and from nowhere deeper.
export { Homework } from './homework.entity.js';
export { SessionSeries } from './session-series.entity.js';
export { Session } from './session.entity.js';
export { SessionModule } from './session.module.js';
export { SessionReader } from './session.reader.js';
