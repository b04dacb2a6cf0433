import { jest } from '@jest/globals';
import { CorrectedClock } from './corrected-clock.js';

const HOUR = 3_600_000;
const START = Temporal.Instant.from('2026-11-23T10:00:00Z').epochMilliseconds;

/** The monotonic clock of the process, by which everything else here is told. */
let monotonic: number;
/** By how much the machine's own clock is ahead of that of the database. */
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
/** Reads the database's clock over a network that takes so long to it and back. */
const read = (to = 0, back = 0, ahead = 0) => {
  const sentAt = monotonic;
  monotonic += to;
  const databaseMilliseconds = databaseTime() + ahead;
  monotonic += back;
  clock.correct({ databaseMilliseconds, sentAt, receivedAt: monotonic });
};
/** How far the corrected time is ahead of the database's. */
const error = () => clock.now().epochMilliseconds - databaseTime();

it('is the machine, and not to be relied on, before the first reading', () => {
  started(HOUR);
  expect([error(), clock.isReliable]).toEqual([HOUR, false]);
});

it.each([HOUR, 24 * HOUR, -24 * HOUR, 31_000, -31_000, 29_000, 0])(
  'shows the time of the database on a machine that is %i ms ahead, and says whether that is too far',
  (ahead) => {
    started(ahead);
    read();
    expect([error(), clock.machineOffset, clock.isReliable]).toEqual([0, ahead, Math.abs(ahead) <= 30_000]);
  },
);

it('is as exact as the quickest of its readings, however slow and lopsided the others are', () => {
  started(HOUR);
  read(400, 0);
  expect(error()).toBe(200);
  read(1, 1);
  expect(error()).toBeGreaterThanOrEqual(0);
  monotonic += 300;
  expect(error()).toBe(0);
  for (let readings = 0; readings < 11; readings += 1) read(0, 300);
  expect(error()).toBe(0);
  // The quick one is over a minute old.
  read(0, 300);
  expect(error()).toBe(-150);
});

it('does not go back by a correction of less than a second, and does by more', () => {
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

it('goes on when the clock of the machine is set, and says so at once', () => {
  started(0);
  read();
  offset = 48 * HOUR;
  monotonic += 5_000;
  expect([error(), clock.machineOffset, clock.isReliable]).toEqual([0, 48 * HOUR, false]);
  offset = 1_000;
  expect([error(), clock.machineOffset, clock.isReliable]).toEqual([0, 1_000, true]);
});

it('follows a database whose clock is set, or a machine that was suspended, with the next reading', () => {
  started(0);
  for (let readings = 0; readings < 5; readings += 1) read(1, 1);
  read(100, 100, 60_000);
  expect(error()).toBeGreaterThanOrEqual(60_000);
  expect(error()).toBeLessThanOrEqual(60_100);
  expect(clock.isReliable).toBe(false);
});
