import fc from 'fast-check';
import { formatSlashDate, formatLocalDateTime } from '../../shared/time/index.js';
import { LocalTimeConverter } from './local-time-converter.js';
import { createWeekRange } from './week-range.js';

const ZONES = [
  'Europe/London',
  'America/Los_Angeles',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'America/Santiago',
  'UTC',
];
const NOW = Temporal.Instant.from('2027-07-07T23:30:00Z');

it('returns the same local times as Temporal, also near clock changes', () => {
  const year = Temporal.Instant.from('2027-01-01T00:00:00Z').epochMilliseconds;
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES),
      fc.integer({ min: 0, max: 365 * 24 * 60 }),
      fc.integer({ min: 0, max: 8 * 24 * 60 }),
      (timeZone, start, distance) => {
        const from = Temporal.Instant.fromEpochMilliseconds(year + start * 60_000);
        const at = from.add({ minutes: distance });
        const zoned = at.toZonedDateTimeISO(timeZone);
        const { date, time } = formatLocalDateTime(zoned);
        expect(new LocalTimeConverter(from, from.add({ hours: 24 * 8 }), timeZone).toLocal(at)).toEqual({
          date: formatSlashDate(date),
          time,
          utcOffset: zoned.offset,
        });
      },
    ),
  );
});

it.each([
  ['2027-03-22', 'Europe/London', '2027-03-22T00:00:00Z', 167],
  ['2027-10-25', 'Europe/London', '2027-10-24T23:00:00Z', 169],
  ['2027-03-08', 'America/Los_Angeles', '2027-03-08T08:00:00Z', 167],
  ['2027-07-05', 'Asia/Kolkata', '2027-07-04T18:30:00Z', 168],
  // On this day, the clock change in Santiago skips midnight.
  ['2027-09-05', 'America/Santiago', '2027-09-05T04:00:00Z', 167],
])('the week of %s in %s begins at %s and has %i hours', (from, timeZone, startsAt, hours) => {
  const week = createWeekRange(Temporal.PlainDate.from(from), timeZone, NOW);
  expect(week.startsAt.toString()).toBe(startsAt);
  expect(week.startsAt.until(week.endsAt).total('hours')).toBe(hours);
  expect(week.days).toHaveLength(7);
});

it('begins on the Monday of the current week in the zone, unless a date is given', () => {
  expect(createWeekRange(undefined, 'Europe/London', NOW).days[0]!.date.toString()).toBe('2027-07-05');
  const sunday = Temporal.Instant.from('2027-07-11T20:00:00Z');
  expect(createWeekRange(undefined, 'Asia/Kolkata', sunday).days[0]!.date.toString()).toBe('2027-07-12');
});

it.each(['0000-12-31', '9999-12-26', '9999-12-31'])('refuses a week that begins on %s', (from) => {
  expect(() => createWeekRange(Temporal.PlainDate.from(from), 'America/Los_Angeles', NOW)).toThrow('malformed');
});
