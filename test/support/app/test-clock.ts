import { Clock } from '../../../src/shared/time/index.js';

/** A clock that stands still until a test sets or advances it, or makes it tick. */
export class TestClock extends Clock {
  private instant = Temporal.Instant.from('2026-11-21T10:00:00Z');
  private tick: Temporal.DurationLike = { milliseconds: 0 };

  now(): Temporal.Instant {
    const { instant } = this;
    this.instant = instant.add(this.tick);
    return instant;
  }

  set(instant: string): void {
    this.instant = Temporal.Instant.from(instant);
  }

  advance(duration: Temporal.DurationLike): void {
    this.instant = this.instant.add(duration);
  }

  /**
   * From now on, the clock advances by this duration at each reading. An operation that must read the clock only once
   * then has another result if it reads the clock again.
   */
  tickAtEachReading(duration: Temporal.DurationLike): void {
    this.tick = duration;
  }
}
