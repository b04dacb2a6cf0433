/** Where "now" comes from. Injected, so that tests and simulations decide what time it is. */
export abstract class Clock {
  abstract now(): Temporal.Instant;

  /** Milliseconds by which the machine's own clock is ahead of this one. A clock of a test or a simulation has none. */
  get machineOffset(): number {
    return 0;
  }

  /** Whether work that depends on the time may be done. */
  get isReliable(): boolean {
    return true;
  }
}
