import type { LogPosition } from './log-position.js';

/** A position that the primary had at or after the time `at` (in milliseconds of `performance.now()`). */
type Sample = { at: number; position: LogPosition };

/** Maximum number of samples, for about 15 minutes at one per second. Beyond it, every second sample is dropped. */
const MAX_SAMPLES = 900;

/**
 * Tracks how far the replica has followed the primary. The age of its data is the time since the newest sample of the
 * primary that it has reached. This needs no clock of another machine. The age also grows while the replica is cut off
 * from the primary, which the replica itself cannot notice.
 */
export class ReplicaProgress {
  /** Samples of the primary, oldest first. The replica has reached the first sample, or none at all. */
  private samples: Sample[] = [];
  private reached: Sample | undefined;
  private replayed: LogPosition | undefined;

  recordPrimary(sample: Sample): void {
    const newest = this.samples.at(-1);
    // A sample that arrives late is dropped, because a newer one is already stored.
    if (newest !== undefined && newest.at > sample.at) return;
    this.samples.push(sample);
    if (this.samples.length > MAX_SAMPLES) this.samples = this.samples.filter((_, index) => index % 2 === 0);
  }

  recordReplica(position: LogPosition): void {
    this.replayed = position;
    const index = this.samples.findLastIndex((sample) => position.covers(sample.position));
    if (index < 0) return;
    this.reached = this.samples[index]!;
    this.samples = this.samples.slice(index);
  }

  /** Whether the replica has reached a position. */
  hasReached(position: LogPosition): boolean {
    return this.replayed !== undefined && this.replayed.covers(position);
  }

  /** Returns the age of the replica's data in milliseconds, or undefined if it is not known. */
  getAge(now: number): number | undefined {
    return this.reached === undefined ? undefined : now - this.reached.at;
  }

  /**
   * Returns a position that the replica has reached and that the primary had at most `maxAgeMs` ago. Returns undefined
   * if the replica is further behind.
   */
  findFloor(now: number, maxAgeMs: number): LogPosition | undefined {
    const age = this.getAge(now);
    return age === undefined || age > maxAgeMs ? undefined : this.reached!.position;
  }
}
