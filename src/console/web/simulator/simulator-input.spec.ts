import fc from 'fast-check';
import {
  addReminder,
  INITIAL_SIMULATOR_INPUT,
  isSupportedDate,
  moveSessionOfWeek,
  readSimulatorQuery,
  setWeekCount,
  toSimulatorQuery,
} from './simulator-input.js';

const read = (text: string) => readSimulatorQuery(new URLSearchParams(text));

it('reads what it writes', () => {
  const plan = {
    ...moveSessionOfWeek(addReminder(INITIAL_SIMULATOR_INPUT, 1, { day: 7, time: '06:00' }), 2, -3),
    quietHours: null,
  };
  expect(read(toSimulatorQuery(plan))).toEqual(plan);
});

it('reads any text as a plan within the bounds', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('weeks', 'at', 'clinic', 'client', 'quiet', 'moves'), fc.string()),
      (parts) => {
        const plan = readSimulatorQuery(new URLSearchParams(parts));
        expect(plan.weeks.length).toBeLessThanOrEqual(16);
        expect(plan.moves.every((move) => Math.abs(move) <= 6)).toBe(true);
        expect(isSupportedDate(plan.date)).toBe(true);
      },
    ),
  );
  expect(read('')).toMatchObject({ ...INITIAL_SIMULATOR_INPUT, moves: [0] });
  expect(read('at=2027-02-29T25:00&clinic=Mars/Base&quiet=08:00-08:00&weeks=9-18:00_2-7')).toMatchObject({
    ...{
      date: INITIAL_SIMULATOR_INPUT.date,
      time: INITIAL_SIMULATOR_INPUT.time,
      clinicZone: INITIAL_SIMULATOR_INPUT.clinicZone,
      quietHours: INITIAL_SIMULATOR_INPUT.quietHours,
    },
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
  expect(isSupportedDate(text)).toBe(expected);
});

it('keeps the reminders of a full week when another one is added', () => {
  const hours = ['10', '11', '12', '13', '14', '15'];
  const weeks = [hours.map((hour) => ({ day: 3, time: `${hour}:00` }))];
  const added = addReminder({ ...INITIAL_SIMULATOR_INPUT, weeks }, 0, { day: 1, time: '08:00' });
  expect(added.weeks).toEqual(weeks);
});

it('keeps moves within a week, and weeks when their number changes', () => {
  expect(moveSessionOfWeek(moveSessionOfWeek(INITIAL_SIMULATOR_INPUT, 0, 6), 0, 3).moves[0]).toBe(6);
  expect(setWeekCount(INITIAL_SIMULATOR_INPUT, 10).weeks).toHaveLength(10);
  expect(setWeekCount(setWeekCount(INITIAL_SIMULATOR_INPUT, 1), 2).weeks[1]).toEqual(INITIAL_SIMULATOR_INPUT.weeks[0]);
});
