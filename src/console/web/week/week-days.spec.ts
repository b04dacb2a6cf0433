import { addDaysToIsoDate, findMondayIsoDate, listClockChanges, parseDateToMonday } from './week-days.js';

const daysFrom = (...instants: string[]) => ({
  days: instants.slice(0, -1).map((startsAt) => ({ date: startsAt.slice(0, 10).replaceAll('-', '/'), startsAt })),
  endsAt: instants.at(-1)!,
});

it('finds the Monday of a date in both forms, also over a year', () => {
  expect(findMondayIsoDate('2027/01/03')).toBe('2026-12-28');
  expect(findMondayIsoDate('2026-12-28')).toBe('2026-12-28');
  expect(addDaysToIsoDate('2026-12-28', 7)).toBe('2027-01-04');
});

it.each([null, '', 'tomorrow', '2027-02-30', '2027-2-3', "2027-01-01'"])('finds no week for %p', (text) => {
  expect(parseDateToMonday(text)).toBeUndefined();
});

it('finds the Monday of an address', () => {
  expect(parseDateToMonday('2027-03-28')).toBe('2027-03-22');
});

it('finds the days that are longer or shorter, and by how much', () => {
  expect(listClockChanges(daysFrom('2027-03-27T00:00:00Z', '2027-03-28T00:00:00Z', '2027-03-28T23:00:00Z'))).toEqual([
    { date: '2027/03/28', minutesForward: 60 },
  ]);
  expect(listClockChanges(daysFrom('2027-10-30T23:00:00Z', '2027-11-01T00:00:00Z'))).toEqual([
    { date: '2027/10/30', minutesForward: -60 },
  ]);
  // Lord Howe Island changes its clocks by half an hour.
  expect(listClockChanges(daysFrom('2027-10-02T13:30:00Z', '2027-10-03T13:00:00Z'))[0]!.minutesForward).toBe(30);
  expect(listClockChanges(daysFrom('2027-07-05T00:00:00Z', '2027-07-06T00:00:00Z'))).toEqual([]);
});
