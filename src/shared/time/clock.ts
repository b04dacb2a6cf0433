/** Where "now" comes from. Injected, so that tests and simulations decide what time it is. */
export abstract class Clock {
  abstract now(): Temporal.Instant;
}

export class SystemClock extends Clock {
  now(): Temporal.Instant {
    return Temporal.Now.instant();
  }
}
