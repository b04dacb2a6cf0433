import { Clock } from '../../../src/shared/time/index.js';

/** A clock that stands still until a test sets or advances it. */
export class TestClock extends Clock {
  private instant = Temporal.Instant.from('2026-11-21T10:00:00Z');

  now(): Temporal.Instant {
    return this.instant;
  }

  set(instant: string): void {
    this.instant = Temporal.Instant.from(instant);
  }

  advance(duration: Temporal.DurationLike): void {
    this.instant = this.instant.add(duration);
  }
}
