import { jest } from '@jest/globals';

const RealDate = Date;

/**
 * Freezes the system clock at an instant. Tokens are checked against the system clock, not against the application's
 * `Clock`. `releaseSystemClock` starts it again.
 */
export function freezeSystemClock(milliseconds: number): void {
  globalThis.Date = class extends RealDate {
    constructor(...given: [] | [number]) {
      super(given.length === 0 ? milliseconds : given[0]);
    }

    static override now(): number {
      return milliseconds;
    }
  } as DateConstructor;
  const instant = Temporal.Instant.fromEpochMilliseconds(milliseconds);
  jest.spyOn(Temporal.Now, 'instant').mockImplementation(() => instant);
}

export function releaseSystemClock(): void {
  globalThis.Date = RealDate;
  jest.restoreAllMocks();
}
