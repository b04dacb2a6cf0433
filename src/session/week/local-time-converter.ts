import { formatEpochMilliseconds } from '../../shared/persistence/index.js';

/** A part of the range in which the offset of the time zone does not change. */
type Segment = { from: number; offset: string; offsetMilliseconds: number };

/** A local time: date yyyy/MM/dd, time HH:mm, and the offset from UTC, which tells a repeated hour apart. */
export type LocalTime = { date: string; time: string; utcOffset: string };

/**
 * Converts instants of a short range to local times. The offsets are looked up once, which is several times faster than
 * a conversion of each instant.
 */
export class LocalTimeConverter {
  /** The parts of the range, from the latest to the earliest. */
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

  /** @param instant not before the range */
  toLocal({ epochMilliseconds }: Temporal.Instant): LocalTime {
    const { offset, offsetMilliseconds } = this.segments.find(({ from }) => from <= epochMilliseconds)!;
    // The text of the shifted instant in UTC is the local time.
    const local = formatEpochMilliseconds(epochMilliseconds + offsetMilliseconds);
    return { date: local.slice(0, 10).replaceAll('-', '/'), time: local.slice(11, 16), utcOffset: offset };
  }
}
