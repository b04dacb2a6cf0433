import { getUtcOffset } from './zone.js';

/**
 * Where the wall clock of a request stands: in the given zone where the `offset` header agrees with it, else at that
 * fixed offset. It agrees where both give the same instant for the first Session, or where it is the zone's offset now,
 * as a caller who plans December in August sends the offset of August.
 *
 * See docs/decisions.md, "`offset` header".
 *
 * @param offset as `+05:30`; undefined without the header
 * @param first the first Session, on the wall clock of the request
 */
export function resolveRequestZone(
  offset: string | undefined,
  zone: string,
  first: Temporal.PlainDateTime,
  now: Temporal.Instant,
): string {
  if (offset === undefined || getUtcOffset(now, zone) === offset) return zone;
  const [read, agreed] = [first.toZonedDateTime(offset), first.toZonedDateTime(zone)];
  return read.epochNanoseconds === agreed.epochNanoseconds ? zone : offset;
}
