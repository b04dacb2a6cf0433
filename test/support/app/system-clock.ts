import { jest } from '@jest/globals';

/**
 * Stops the clock of this machine at an instant: for what is judged by it and not by the Clock of the application,
 * as tokens are. `jest.useRealTimers()` and `jest.restoreAllMocks()` set it going again.
 */
export function freezeSystemClock(milliseconds: number): void {
  jest.useFakeTimers({ now: milliseconds, doNotFake: REAL_TIMERS });
  const instant = Temporal.Instant.fromEpochMilliseconds(milliseconds);
  jest.spyOn(Temporal.Now, 'instant').mockImplementation(() => instant);
}

/** What a server on this machine needs. */
const REAL_TIMERS = [
  ...(['nextTick', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const),
  ...(['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance', 'hrtime'] as const),
];
