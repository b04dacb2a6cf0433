/** The source of the current time. Injected so that tests and simulations can set the time. */
export abstract class Clock {
  abstract now(): Temporal.Instant;

  /** Milliseconds by which the machine clock is ahead of this clock; 0 in tests and simulations. */
  get machineOffset(): number {
    return 0;
  }

  /** Whether the time can be relied on. Jobs that depend on the time must not run while this is false. */
  get isReliable(): boolean {
    return true;
  }
}
