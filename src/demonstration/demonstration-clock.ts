import { CorrectedClock } from '../shared/time/index.js';

/**
 * The clock of a service on the embedded database. While the demonstration is created, it stands at the time of the
 * step that is played. After that, it is the ordinary clock.
 */
export class DemonstrationClock extends CorrectedClock {
  private stepTime: Temporal.Instant | undefined;

  override now(): Temporal.Instant {
    return this.stepTime ?? super.now();
  }

  /** Stops the clock at a time. */
  stopAt(time: Temporal.Instant): void {
    this.stepTime = time;
  }

  /** Lets the clock run again. */
  run(): void {
    this.stepTime = undefined;
  }
}
