export { Clock } from './clock.js';
export { CorrectedClock } from './corrected-clock.js';
export { isBefore } from './is-before.js';
export { machineTime } from './machine-time.js';
export { ApiOffsetHeader, RequestZone } from './request-zone.decorator.js';
export {
  formatSlashDate,
  formatWallClock,
  parseClockTime,
  parseSlashDate,
  parseWrittenMoment,
  toInstant,
  type WrittenMoment,
} from './wall-clock.js';
export { isFixedOffset, isTimeZone, offsetOf, offsetZone } from './zone.js';
export { ZoneData, zoneDataProblem } from './zone-data.js';
export { zoneOfRequest } from './zone-of-request.js';
