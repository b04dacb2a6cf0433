import { jest } from '@jest/globals';
import { CorrectedClock } from './corrected-clock.js';

const HOUR = 3_600_000;
const START = Temporal.Instant.from('2026-11-23T10:00:00Z').epochMilliseconds;

/** The mocked monotonic clock (`performance.now()`), in milliseconds. */
let monotonic: number;
/** Milliseconds by which the machine clock is ahead of the database clock. */
let offset: number;
let clock: CorrectedClock;
beforeEach(() => {
  [monotonic, offset] = [1_000, 0];
  jest.spyOn(performance, 'now').mockImplementation(() => monotonic);
  jest
    .spyOn(Temporal.Now, 'instant')
    .mockImplementation(() => Temporal.Instant.fromEpochMilliseconds(databaseTime() + offset));
});
afterEach(() => jest.restoreAllMocks());

const databaseTime = () => START + Math.round(monotonic);
const started = (ahead: number) => {
  offset = ahead;
  clock = new CorrectedClock();
};
/** Adds a reading of the database clock. The network takes `to` ms for the query and `back` ms for the response. */
const read = (to = 0, back = 0, ahead = 0) => {
  const sentAt = monotonic;
  monotonic += to;
  const databaseMilliseconds = databaseTime() + ahead;
  monotonic += back;
  clock.correct({ databaseMilliseconds, sentAt, receivedAt: monotonic });
};
/** Milliseconds by which the corrected time is ahead of the database time. */
const error = () => clock.now().epochMilliseconds - databaseTime();

it('shows the machine time and is unreliable before the first reading', () => {
  started(HOUR);
  expect([error(), clock.isReliable]).toEqual([HOUR, false]);
});

it.each([HOUR, 24 * HOUR, -24 * HOUR, 31_000, -31_000, 29_000, 0])(
  'shows the database time on a machine that is %i ms ahead, and is unreliable beyond 30 s',
  (ahead) => {
    started(ahead);
    read();
    expect([error(), clock.machineOffset, clock.isReliable]).toEqual([0, ahead, Math.abs(ahead) <= 30_000]);
  },
);

it('is as exact as its fastest reading, however slow and asymmetric the others are', () => {
  started(HOUR);
  read(400, 0);
  expect(error()).toBe(200);
  read(1, 1);
  expect(error()).toBeGreaterThanOrEqual(0);
  monotonic += 300;
  expect(error()).toBe(0);
  for (let readings = 0; readings < 11; readings += 1) read(0, 300);
  expect(error()).toBe(0);
  // The fast reading is now over a minute old.
  read(0, 300);
  expect(error()).toBe(-150);
});

it('waits for a correction of less than a second, and goes back for a larger one', () => {
  started(500);
  const before = clock.now();
  read();
  expect(clock.now()).toEqual(before);
  monotonic += 499;
  expect(clock.now()).toEqual(before);
  monotonic += 2;
  expect(error()).toBe(0);
  started(2_000);
  expect(error()).toBe(2_000);
  read();
  expect(error()).toBe(0);
});

it('continues when the machine clock is set, and is unreliable at once', () => {
  started(0);
  read();
  offset = 48 * HOUR;
  monotonic += 5_000;
  expect([error(), clock.machineOffset, clock.isReliable]).toEqual([0, 48 * HOUR, false]);
  offset = 1_000;
  expect([error(), clock.machineOffset, clock.isReliable]).toEqual([0, 1_000, true]);
});

it('follows a change of the database clock with the next reading', () => {
  started(0);
  for (let readings = 0; readings < 5; readings += 1) read(1, 1);
  read(100, 100, 60_000);
  expect(error()).toBeGreaterThanOrEqual(60_000);
  expect(error()).toBeLessThanOrEqual(60_100);
  expect(clock.isReliable).toBe(false);
});
