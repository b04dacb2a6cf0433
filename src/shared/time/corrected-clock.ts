import { Clock } from './clock.js';
import { getSystemTimeMs } from './system-time.js';

/** One reading of the database clock, with the values of `performance.now()` before and after the query. */
type ClockReading = { databaseMilliseconds: number; sentAt: number; receivedAt: number };

/** The result of a reading: the database time is `base + performance.now()`, accurate to `error` ms. */
type Sample = { base: number; error: number };

/** If the machine clock is off by more than this, the clock is unreliable. */
const MAX_OFFSET_MS = 30_000;
/** Maximum number of readings that are kept: one minute's, at one reading every 5 seconds. */
const MAX_SAMPLES = 12;
/** How much two readings may differ in addition to their errors, because clocks drift within a minute. */
const DRIFT_MS = 50;
/** For backward corrections smaller than this, the clock pauses instead of going back. */
const MAX_HELD_BACK_MS = 1_000;

/**
 * The production clock. It follows the database clock, so that all instances agree. Between readings it advances with
 * the process's monotonic clock, so changes to the machine clock have no effect.
 */
export class CorrectedClock extends Clock {
  private base = getSystemTimeMs() - performance.now();
  private samples: Sample[] = [];
  private latest = Number.NEGATIVE_INFINITY;

  now(): Temporal.Instant {
    const reading = Math.floor(this.base + performance.now());
    const goesBackALittle = reading < this.latest && this.latest - reading < MAX_HELD_BACK_MS;
    if (!goesBackALittle) this.latest = reading;
    return Temporal.Instant.fromEpochMilliseconds(this.latest);
  }

  /**
   * Adds a reading of the database clock. The reading with the shortest round trip is used, because it has the smallest
   * error. A new reading replaces earlier ones that contradict it: a clock was set, or the machine was suspended.
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
    return Math.round(getSystemTimeMs() - (this.base + performance.now()));
  }

  /** False until the first reading, and while the machine clock is off by more than `MAX_OFFSET_MS`. */
  override get isReliable(): boolean {
    return this.samples.length > 0 && Math.abs(this.machineOffset) <= MAX_OFFSET_MS;
  }
}
