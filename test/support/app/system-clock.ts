import { jest } from '@jest/globals';

/**
 * Freezes the system clock at an instant. Tokens are checked against the system clock, not against the application's
 * `Clock`. `jest.useRealTimers()` and `jest.restoreAllMocks()` start it again.
 */
export function freezeSystemClock(milliseconds: number): void {
  jest.useFakeTimers({ now: milliseconds, doNotFake: REAL_TIMERS });
  const instant = Temporal.Instant.fromEpochMilliseconds(milliseconds);
  jest.spyOn(Temporal.Now, 'instant').mockImplementation(() => instant);
}

/** Timers that HTTP servers and clients need, so they are not faked. */
const REAL_TIMERS = [
  ...(['nextTick', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const),
  ...(['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance', 'hrtime'] as const),
];
