import type { RetryOptions } from './operation.js';

/** Parses `Retry-After`, a number of seconds or a date. @returns milliseconds; undefined if it is neither */
export function parseRetryAfter(value: string | null, now: number): number | undefined {
  const text = value?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  // Only the form with an HTTP date contains letters. `Date.parse` would also accept numbers such as "-5" or "1.5".
  const date = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/**
 * Maximum share of a delay that is subtracted at random, so that clients that failed at the same time do not all retry
 * at the same time.
 */
const JITTER = 0.5;
/** Maximum random addition to `Retry-After`, as a share of its value. */
const RETRY_AFTER_JITTER = 0.1;

/**
 * Computes the delay before the next attempt, in milliseconds.
 *
 * @param retry number of the retry, from 1
 * @param random between 0 and 1
 */
export function computeRetryDelay(
  { firstDelay, maxDelay }: RetryOptions,
  { retry, retryAfter, random }: { retry: number; retryAfter?: number | undefined; random: number },
): number {
  if (retryAfter !== undefined) return retryAfter * (1 + RETRY_AFTER_JITTER * random);
  return Math.min(maxDelay, firstDelay * 2 ** (retry - 1)) * (1 - JITTER * random);
}

/** The longest delay of a timer in milliseconds. Timers with a longer delay fire immediately. */
const MAX_TIMER_DELAY_MS = 2 ** 31 - 1;

export function limitTimerDelay(milliseconds: number): number {
  return Math.min(milliseconds, MAX_TIMER_DELAY_MS);
}

/** Waits for a number of milliseconds. @throws the signal's reason if the signal is aborted */
export function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, limitTimerDelay(milliseconds));
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Waits for a promise, but not longer than until the signal is aborted. @throws the signal's reason */
export function waitUntilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
