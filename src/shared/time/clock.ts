/** The source of the current time. Injected, so that tests and simulations can set the time. */
export abstract class Clock {
  abstract now(): Temporal.Instant;

  /** Milliseconds by which the machine's clock is ahead of this one; 0 for the clock of a test or a simulation. */
  get machineOffset(): number {
    return 0;
  }

  /** False while the time may be wrong, so that no job that depends on it may run. */
  get isReliable(): boolean {
    return true;
  }
}
