import { Clock } from './clock.js';
import { machineTime } from './machine-time.js';

/** One reading of another clock: what it said, and the times of `performance.now()` before and after. */
export type ClockReading = { databaseMilliseconds: number; sentAt: number; receivedAt: number };

/** What a reading says: the other clock shows `base + performance.now()`, give or take `error`. */
type Sample = { base: number; error: number };

/** A machine whose own clock is further off than this does nothing that depends on the time. */
const MAX_OFFSET_MS = 30_000;
/** At one reading every 5 seconds, those of the last minute. */
const MAX_SAMPLES = 12;
/** How far two readings may differ beyond their errors: clocks run apart a little within a minute. */
const DRIFT_MS = 50;
/** A correction that is smaller than this does not make the time go back. */
const MAX_HELD_BACK_MS = 1_000;

/**
 * The clock of production: the machine's time, corrected by its measured offset to the clock of the database, so that
 * all instances agree. Between two readings it counts on the monotonic clock of the process: a machine whose own clock
 * is set meanwhile does not move it.
 */
export class CorrectedClock extends Clock {
  private base = machineTime() - performance.now();
  private samples: Sample[] = [];
  private latest = Number.NEGATIVE_INFINITY;

  now(): Temporal.Instant {
    const reading = Math.floor(this.base + performance.now());
    const goesBackALittle = reading < this.latest && this.latest - reading < MAX_HELD_BACK_MS;
    if (!goesBackALittle) this.latest = reading;
    return Temporal.Instant.fromEpochMilliseconds(this.latest);
  }

  /**
   * Takes a reading of the database's clock. The one with the shortest round trip counts, as its error is the smallest.
   * One that contradicts those before it replaces them: a clock was set, or the machine was suspended.
   */
  correct({ databaseMilliseconds, sentAt, receivedAt }: ClockReading): void {
    const error = (receivedAt - sentAt) / 2;
    const sample = { base: databaseMilliseconds + error - receivedAt, error };
    const agreeing = this.samples.filter((other) => {
      return Math.abs(other.base - sample.base) <= other.error + sample.error + DRIFT_MS;
    });
    this.samples = [...agreeing, sample].slice(-MAX_SAMPLES);
    this.base = this.samples.reduce((best, other) => (other.error < best.error ? other : best)).base;
  }

  override get machineOffset(): number {
    return Math.round(machineTime() - (this.base + performance.now()));
  }

  /** Not before the first reading. */
  override get isReliable(): boolean {
    return this.samples.length > 0 && Math.abs(this.machineOffset) <= MAX_OFFSET_MS;
  }
}
