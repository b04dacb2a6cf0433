import { getUtcOffset } from './zone.js';

/**
 * Selects the time zone for the local times of a request. If the `offset` header is the offset of the Clinic's zone, now
 * or at the first Session, the zone is used. Otherwise the fixed offset is used. The current offset counts, because a
 * caller who plans December in August sends the offset of August.
 *
 * See docs/decisions.md, "`offset` header".
 *
 * @param offset such as `+05:30`; undefined without the header
 * @param zone the time zone of the Clinic
 * @param first the local time of the first Session
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
