import { DemonstrationClock } from '../../../src/demonstration/index.js';

/** A demonstration clock that makes the service believe it was started at another time. */
export class ShiftedDemonstrationClock extends DemonstrationClock {
  private readonly milliseconds: number;
  private isStopped = false;

  constructor(start: string) {
    super();
    this.milliseconds = Temporal.Instant.from(start).epochMilliseconds - super.now().epochMilliseconds;
  }

  override now(): Temporal.Instant {
    const time = super.now();
    return this.isStopped ? time : time.add({ milliseconds: this.milliseconds });
  }

  override stopAt(time: Temporal.Instant): void {
    this.isStopped = true;
    super.stopAt(time);
  }

  override resume(): void {
    this.isStopped = false;
    super.resume();
  }
}
