import { extractReminderTimes } from './plan-reminder-times.js';
import { INITIAL_SIMULATOR_INPUT, readSimulatorQuery, toSimulatorQuery } from './simulator-input.js';

const assignment = (...times: [day: number, time: string][]) => ({
  bookId: 1,
  assignReminds: times.map(([reminderDay, time]) => ({ reminderDay, time })),
});
const week = (name: string, ...assignments: ReturnType<typeof assignment>[]) => ({ name, ordering: 1, assignments });

it('takes the times of all Books of a week, once and in order', () => {
  const weeks = [week('A', assignment([2, '20:00'], [1, '09:30']), assignment([2, '20:00'])), week('B')];
  const own = [
    { day: 1, time: '09:30' },
    { day: 2, time: '20:00' },
  ];
  expect(extractReminderTimes({ weeks })).toEqual({ weeks: [own, []], isTruncated: false });
});

it('says that a plan is longer than what is simulated', () => {
  const seven = assignment(...[1, 2, 3, 4, 5, 6, 7].map((day): [number, string] => [day, '08:00']));
  expect(extractReminderTimes({ weeks: Array.from({ length: 17 }, () => week('A')) })).toMatchObject({
    isTruncated: true,
  });
  const { weeks, isTruncated } = extractReminderTimes({ weeks: [week('A', seven)] });
  expect([weeks[0]!.length, isTruncated]).toEqual([6, true]);
});

it('is shared by a link that has times only', () => {
  const { weeks } = extractReminderTimes({ weeks: [week('Secret of Alex', assignment([3, '07:15'])), week('B')] });
  const query = toSimulatorQuery({ ...INITIAL_SIMULATOR_INPUT, weeks });
  expect(query).not.toMatch(/Secret|Alex/);
  expect(readSimulatorQuery(new URLSearchParams(query)).weeks).toEqual(weeks);
});
