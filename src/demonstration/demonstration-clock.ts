import { CorrectedClock } from '../shared/time/index.js';

/**
 * The clock of a service on the embedded database. While the demonstration is created, the clock is stopped at the time
 * of the current step. Afterwards, it runs normally.
 */
export class DemonstrationClock extends CorrectedClock {
  private stepTime: Temporal.Instant | undefined;

  override now(): Temporal.Instant {
    return this.stepTime ?? super.now();
  }

  /** Stops the clock at the given time. */
  stopAt(time: Temporal.Instant): void {
    this.stepTime = time;
  }

  /** Lets the clock run normally again. */
  resume(): void {
    this.stepTime = undefined;
  }
}
