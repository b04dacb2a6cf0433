export { Clock } from './clock.js';
export { CorrectedClock } from './corrected-clock.js';
export { isBefore } from './is-before.js';
export { getSystemTimeMs } from './system-time.js';
export { ApiOffsetHeader, RequestOffset } from './request-offset.decorator.js';
export {
  formatSlashDate,
  describeLocalDateTime,
  formatLocalDateTime,
  parseClockTime,
  parseSlashDate,
  parseDateTime,
  toInstant,
  type ParsedDateTime,
} from './wall-clock.js';
export { isFixedOffset, isSupportedZone, isTimeZone, getUtcOffset, toLocalDate } from './zone.js';
export { ZoneData } from './zone-data.js';
export { resolveRequestZone } from './resolve-request-zone.js';
