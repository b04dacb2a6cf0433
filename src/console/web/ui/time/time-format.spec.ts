import { jest } from '@jest/globals';
import { formatDate, formatFullZone, formatInstant, formatRange, formatZone } from './time-format.js';

beforeEach(() => jest.useFakeTimers({ now: Date.UTC(2027, 5, 1) }));
afterEach(() => jest.useRealTimers());

it.each([
  ['en', 'Sun 28 Mar, 09:30'],
  ['de', 'So., 28. März, 09:30'],
])('writes the wall clock of the zone in %s', (language, expected) => {
  // The clocks in London went forward earlier on this day.
  expect(formatInstant('2027-03-28T08:30:00.000Z', 'Europe/London', 'dateTime', language)).toBe(expected);
});

it.each([
  ['2028-03-28T08:30:00.000Z', 'dateTime', 'Tue 28 Mar 2028, 09:30'],
  ['2026-12-31T23:30:00.000Z', 'date', 'Thu 31 Dec 2026'],
  ['2027-01-01T00:30:00.000Z', 'date', 'Fri 1 Jan'],
  ['2027-03-28T08:30:00.000Z', 'dateTimeYear', 'Sun 28 Mar 2027, 09:30'],
] as const)('adds the year to %s unless it is the current one', (at, format, expected) => {
  expect(formatInstant(at, 'Europe/London', format, 'en').replace(/^(\w+),/, '$1')).toBe(expected);
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

it.each([
  ['Etc/GMT+5', 'UTC-05:00'],
  ['Etc/GMT-14', 'UTC+14:00'],
  ['Etc/GMT+0', 'UTC+00:00'],
  ['etc/gmt+12', 'UTC-12:00'],
])('writes %s with the sign of its offset', (zone, expected) => {
  expect([formatZone(zone), formatFullZone(zone)]).toEqual([expected, expected]);
});

it('writes the full name of any other zone', () => {
  expect(['America/Los_Angeles', '+05:30', 'Etc/UTC'].map(formatFullZone)).toEqual([
    'America/Los_Angeles',
    '+05:30',
    'Etc/UTC',
  ]);
});
