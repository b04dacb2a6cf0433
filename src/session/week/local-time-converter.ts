import { formatEpochMilliseconds } from '../../shared/persistence/index.js';

/** A part of the time range during which the UTC offset of the time zone stays the same. */
type Segment = { from: number; offset: string; offsetMilliseconds: number };

/**
 * A local time: date yyyy/MM/dd, time HH:mm, and the offset from UTC, which distinguishes the two occurrences of a
 * repeated hour.
 */
type LocalTime = { date: string; time: string; utcOffset: string };

/**
 * Converts instants within a short time range to local times. The UTC offsets are looked up once for the range, which
 * is several times faster than converting each instant separately.
 */
export class LocalTimeConverter {
  /** The parts of the time range, latest first. */
  private readonly segments: readonly Segment[];

  constructor(from: Temporal.Instant, to: Temporal.Instant, timeZone: string) {
    const segments: Segment[] = [];
    let next: Temporal.ZonedDateTime | null = from.toZonedDateTimeISO(timeZone);
    while (next !== null && Temporal.Instant.compare(next.toInstant(), to) <= 0) {
      const { epochMilliseconds, offset, offsetNanoseconds } = next;
      segments.unshift({ from: epochMilliseconds, offset, offsetMilliseconds: offsetNanoseconds / 1e6 });
      next = next.getTimeZoneTransition('next');
    }
    this.segments = segments;
  }

  /** @param instant must not be before the start of the time range */
  toLocal({ epochMilliseconds }: Temporal.Instant): LocalTime {
    const { offset, offsetMilliseconds } = this.segments.find(({ from }) => from <= epochMilliseconds)!;
    // After the offset is added, the instant formatted in UTC shows the local time.
    const local = formatEpochMilliseconds(epochMilliseconds + offsetMilliseconds);
    return { date: local.slice(0, 10).replaceAll('-', '/'), time: local.slice(11, 16), utcOffset: offset };
  }
}
