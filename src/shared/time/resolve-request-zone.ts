import { getUtcOffset } from './zone.js';

/**
 * Selects the time zone for the local times in a request: the Clinic's zone if the `offset` header matches the zone's
 * offset now or at the first local time, and otherwise the fixed offset. The current offset counts because a caller who
 * schedules for December in August sends the August offset (docs/decisions.md, "`offset` header").
 *
 * @param offset such as `+05:30`; undefined if the header is absent
 * @param zone the time zone of the Clinic
 * @param first the first local time in the request
 */
export function resolveRequestZone(
  offset: string | undefined,
  zone: string,
  first: Temporal.PlainDateTime,
  now: Temporal.Instant,
): string {
  if (offset === undefined || getUtcOffset(now, zone) === offset) return zone;
  const [atOffset, inZone] = [first.toZonedDateTime(offset), first.toZonedDateTime(zone)];
  return atOffset.epochNanoseconds === inZone.epochNanoseconds ? zone : offset;
}
