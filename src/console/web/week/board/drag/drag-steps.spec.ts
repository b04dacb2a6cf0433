import {
  formatMinuteOfDay,
  moveDraggedSession,
  parseMinuteOfDay,
  resizeDraggedSession,
  moveMinuteInSteps,
} from './drag-steps.js';

const HOURS = { first: 8, last: 18 };
const TEN = { day: 2, startMinute: 605, durationMinutes: 50 };

describe('the steps of a drag', () => {
  it.each([
    [605, 0, 605],
    [605, 7, 605],
    [605, -7, 605],
    [605, 8, 615],
    [605, -8, 600],
    [600, 22, 615],
    [600, 23, 630],
  ])('takes minute %i by %i minutes to %i', (minute, minutesDragged, expected) => {
    expect(moveMinuteInSteps(minute, minutesDragged)).toBe(expected);
  });

  it.each([
    ['to another day at the same time', 3, 4, { day: 5, startMinute: 605 }],
    ['to another day and time', -1, 60, { day: 1, startMinute: 660 }],
    ['not before the first day and hour', -9, -900, { day: 0, startMinute: 480 }],
    ['not after the last day and hour', 9, 900, { day: 6, startMinute: 1065 }],
  ])('moves %s', (_case, days, minutesDragged, expected) => {
    expect(moveDraggedSession(TEN, days, minutesDragged, HOURS, 6)).toEqual({ ...expected, durationMinutes: 50 });
  });

  it('does not pull a Session into the hours that starts outside of them', () => {
    const early = { day: 0, startMinute: 470, durationMinutes: 50 };
    expect(moveDraggedSession(early, 1, 0, HOURS, 6)).toEqual({ ...early, day: 1 });
  });

  it.each([
    [0, 50],
    [20, 70],
    [-20, 25],
    [-500, 15],
    [5000, 475],
  ])('makes a Session longer by %i minutes: %i', (minutesDragged, minutes) => {
    expect(resizeDraggedSession(TEN, minutesDragged, HOURS)).toEqual({ ...TEN, durationMinutes: minutes });
  });

  it('leaves a Session that is shorter than a step', () => {
    expect(resizeDraggedSession({ ...TEN, durationMinutes: 5 }, -30, HOURS).durationMinutes).toBe(5);
  });

  it('reads and writes times', () => {
    expect(parseMinuteOfDay('09:05')).toBe(545);
    expect([545, 0, 1439, 1440].map(formatMinuteOfDay)).toEqual(['09:05', '00:00', '23:59', '00:00']);
  });
});
