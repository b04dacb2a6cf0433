import { Clock } from './clock.js';
import { machineTime } from './machine-time.js';

/** One reading of the database clock, with `performance.now()` before and after the query. */
export type ClockReading = { databaseMilliseconds: number; sentAt: number; receivedAt: number };

/** The result of a reading: the database time is `base + performance.now()`, with a maximum error of `error` ms. */
type Sample = { base: number; error: number };

/** Beyond this offset of the machine clock, the clock counts as unreliable. */
const MAX_OFFSET_MS = 30_000;
/** With one reading every 5 seconds, these are the readings of one minute. */
const MAX_SAMPLES = 12;
/** The allowed difference between two readings beyond their errors, as clocks drift within a minute. */
const DRIFT_MS = 50;
/** For corrections smaller than this, the clock waits instead of going back. */
const MAX_HELD_BACK_MS = 1_000;

/**
 * The clock in production. It shows the time of the database, so that all instances agree. Between two readings it uses
 * the monotonic clock of the process, so that a change of the machine clock has no effect.
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
   * Adds a reading of the database clock. The reading with the shortest round trip is used, as it has the smallest error.
   * A reading that contradicts the earlier ones replaces them: a clock was set, or the machine was suspended.
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

  /** False until the first reading. */
  override get isReliable(): boolean {
    return this.samples.length > 0 && Math.abs(this.machineOffset) <= MAX_OFFSET_MS;
  }
}
