import { formatDate, formatInstant, formatRange, formatZone } from './time-format.js';

it.each([
  ['en', 'Sun 28 Mar, 09:30'],
  ['de', 'So., 28. März, 09:30'],
])('writes the wall clock of the zone in %s', (language, expected) => {
  // The clocks in London went forward earlier on this day.
  expect(formatInstant('2027-03-28T08:30:00.000Z', 'Europe/London', 'dateTime', language)).toBe(expected);
});

it('writes a range once', () => {
  const range = formatRange('2027-03-28T08:30:00.000Z', '2027-03-28T09:20:00.000Z', 'Europe/London', 'time', 'en');
  expect(range).toMatch(/^09:30\s?–\s?10:20$/);
});

it('writes a calendar date without a zone', () => {
  expect(formatDate('2027/01/01', 'longDate', 'en')).toBe('Friday, 1 January 2027');
});

it.each([
  ['America/Los_Angeles', 'Los Angeles'],
  ['+05:30', '+05:30'],
])('names %s', (zone, expected) => expect(formatZone(zone)).toBe(expected));
