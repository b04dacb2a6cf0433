import fc from 'fast-check';
import { addReminder, INITIAL, isDate, moveWeek, readQuery, setWeekCount, toQuery } from './simulated-plan.js';

const read = (text: string) => readQuery(new URLSearchParams(text));

it('reads what it writes', () => {
  const plan = { ...moveWeek(addReminder(INITIAL, 1, { day: 7, time: '06:00' }), 2, -3), quietHours: null };
  expect(read(toQuery(plan))).toEqual(plan);
});

it('reads any text as a plan within the bounds', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('weeks', 'at', 'clinic', 'client', 'quiet', 'moves'), fc.string()),
      (parts) => {
        const plan = readQuery(new URLSearchParams(parts));
        expect(plan.weeks.length).toBeLessThanOrEqual(16);
        expect(plan.moves.every((move) => Math.abs(move) <= 6)).toBe(true);
        expect(isDate(plan.date)).toBe(true);
      },
    ),
  );
  expect(read('')).toMatchObject({ ...INITIAL, moves: [0] });
  expect(read('at=2027-02-29T25:00&clinic=Mars/Base&quiet=08:00-08:00&weeks=9-18:00_2-7')).toMatchObject({
    ...{ date: INITIAL.date, time: INITIAL.time, clinicZone: INITIAL.clinicZone, quietHours: INITIAL.quietHours },
    weeks: [[]],
  });
});

it.each([
  ['2028-02-29', true],
  ['2027-02-29', false],
  ['2027-04-31', false],
  ['2027-13-01', false],
  ['1999-01-01', false],
])('%s exists: %s', (text, expected) => {
  expect(isDate(text)).toBe(expected);
});

it('keeps moves within a week, and weeks when their number changes', () => {
  expect(moveWeek(moveWeek(INITIAL, 0, 6), 0, 3).moves[0]).toBe(6);
  expect(setWeekCount(INITIAL, 10).weeks).toHaveLength(10);
  expect(setWeekCount(setWeekCount(INITIAL, 1), 2).weeks[1]).toEqual(INITIAL.weeks[0]);
});
