import type { RetryOptions } from './operation.js';

/** Reads `Retry-After`, which is a number of seconds or a date. @returns milliseconds; undefined if it is neither */
export function parseRetryAfter(value: string | null, now: number): number | undefined {
  const text = value?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  // Only dates have letters. `Date.parse` would also accept numbers such as "-5" or "1.5".
  const date = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** The share of a delay that is random, so that clients that failed together do not come back together. */
const JITTER = 0.5;
/** The part that is added to `Retry-After`, as a share of it. */
const RETRY_AFTER_JITTER = 0.1;

/**
 * Milliseconds until the next attempt.
 *
 * @param retry number of the retry, from 1
 * @param random between 0 and 1
 */
export function computeDelay(
  { firstDelay, maxDelay }: RetryOptions,
  { retry, retryAfter, random }: { retry: number; retryAfter?: number | undefined; random: number },
): number {
  if (retryAfter !== undefined) return retryAfter * (1 + RETRY_AFTER_JITTER * random);
  return Math.min(maxDelay, firstDelay * 2 ** (retry - 1)) * (1 - JITTER * random);
}

/** Timers end at once if their delay is longer than this. */
const LONGEST_TIMER = 2 ** 31 - 1;

export function toTimerDelay(milliseconds: number): number {
  return Math.min(milliseconds, LONGEST_TIMER);
}

/** Waits. @throws the reason of the signal when it is aborted */
export function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, toTimerDelay(milliseconds));
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
