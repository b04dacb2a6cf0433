import { addOneDayToIsoDate, toStartOfDay } from './local-day.js';

it.each([
  ['2027-01-10', 'Europe/London', '2027-01-10T00:00:00.000Z'],
  ['2027-07-10', 'Europe/London', '2027-07-09T23:00:00.000Z'],
  ['2027-03-28', 'Europe/London', '2027-03-28T00:00:00.000Z'],
  ['2027-03-29', 'Europe/London', '2027-03-28T23:00:00.000Z'],
  ['2027-10-31', 'Europe/Madrid', '2027-10-30T22:00:00.000Z'],
  ['2027-11-01', 'Europe/Madrid', '2027-10-31T23:00:00.000Z'],
  ['2027-01-10', 'America/New_York', '2027-01-10T05:00:00.000Z'],
  ['2027-01-10', 'Asia/Kolkata', '2027-01-09T18:30:00.000Z'],
  // The clocks skip midnight, so the day begins at 01:00.
  ['2027-09-05', 'America/Santiago', '2027-09-05T04:00:00.000Z'],
  ['2027-03-28', 'Asia/Beirut', '2027-03-27T22:00:00.000Z'],
  // The clocks go back at midnight, and at 01:00 to midnight.
  ['2027-04-04', 'America/Santiago', '2027-04-04T04:00:00.000Z'],
  ['2027-11-07', 'America/Havana', '2027-11-07T04:00:00.000Z'],
])('%s begins in %s at %s', (date, zone, expected) => {
  expect(toStartOfDay(date, zone)).toBe(expected);
});

it('knows no begin of what is no date', () => {
  expect(toStartOfDay('', 'UTC')).toBeUndefined();
  expect(toStartOfDay('2027-13-40', 'UTC')).toBeUndefined();
});

it('goes to the next day', () => {
  expect(addOneDayToIsoDate('2027-12-31')).toBe('2028-01-01');
  expect(addOneDayToIsoDate('')).toBe('');
});
