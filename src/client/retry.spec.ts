import { DEFAULT_RETRY_OPTIONS } from './operation.js';
import { computeRetryDelay, parseRetryAfter, sleep } from './retry.js';

const NOW = Date.parse('2027-03-01T09:00:00Z');

it.each<[string | null, number | undefined]>([
  ['0', 0],
  ['30', 30_000],
  [' 5 ', 5_000],
  ['Mon, 01 Mar 2027 09:00:10 GMT', 10_000],
  ['Monday, 01-Mar-27 09:00:10 GMT', 10_000],
  ['Mon Mar  1 09:00:10 2027 GMT', 10_000],
  ['Mon, 01 Mar 2027 08:00:00 GMT', 0],
  ['', undefined],
  [null, undefined],
  ['-5', undefined],
  ['1.5', undefined],
  ['1e3', undefined],
  ['soon', undefined],
  ['2027-03-01', undefined],
  ['99999999999', undefined],
])('reads Retry-After %j as %p milliseconds', (value, expected) => {
  expect(parseRetryAfter(value, NOW)).toBe(expected);
});

it.each([
  [1, 250],
  [2, 500],
  [5, 4_000],
  [6, 8_000],
  [60, 8_000],
])('waits before retry %i up to %i milliseconds, and at least half of that', (retry, longest) => {
  expect(computeRetryDelay(DEFAULT_RETRY_OPTIONS, { retry, random: 0 })).toBe(longest);
  expect(computeRetryDelay(DEFAULT_RETRY_OPTIONS, { retry, random: 1 })).toBe(longest / 2);
});

it.each([0, 1, 5_000, 3_600_000])(
  'waits %i milliseconds if Retry-After says so, and at most a tenth longer',
  (retryAfter) => {
    for (const retry of [1, 4, 100]) {
      expect(computeRetryDelay(DEFAULT_RETRY_OPTIONS, { retry, retryAfter, random: 0 })).toBe(retryAfter);
      expect(computeRetryDelay(DEFAULT_RETRY_OPTIONS, { retry, retryAfter, random: 1 })).toBeCloseTo(retryAfter * 1.1);
    }
  },
);

it('stops waiting when the signal is aborted', async () => {
  const controller = new AbortController();
  const waiting = sleep(60_000, controller.signal);
  controller.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  await expect(sleep(60_000, controller.signal)).rejects.toThrow('enough');
});
