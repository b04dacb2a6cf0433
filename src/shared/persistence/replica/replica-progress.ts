import type { LogPosition } from './log-position.js';

/** A position of the primary, and a time (`performance.now()`) before it was read. */
type Sample = { at: number; position: LogPosition };

/** Above this number, every second sample is dropped. At one sample a second, this is a quarter of an hour. */
const MAX_SAMPLES = 900;

/**
 * How far the replica follows the primary. The age of the replica's data is the time since the newest position of the
 * primary that the replica has reached. It needs no clock of another machine, and it also grows while the replica is
 * cut off from the primary, which the replica itself cannot notice.
 */
export class ReplicaProgress {
  /** In the order of their time. The replica has reached the first one, unless it has reached none. */
  private samples: Sample[] = [];
  private reached: Sample | undefined;
  private replayed: LogPosition | undefined;

  recordPrimary(sample: Sample): void {
    const newest = this.samples.at(-1);
    // A late answer says nothing that a later one does not say.
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

  /** Returns a position that the primary had at most so many milliseconds ago and that the replica has reached. */
  findFloor(now: number, maxAgeMs: number): LogPosition | undefined {
    const age = this.getAge(now);
    return age === undefined || age > maxAgeMs ? undefined : this.reached!.position;
  }
}
