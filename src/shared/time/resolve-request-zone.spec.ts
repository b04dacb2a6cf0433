import fc from 'fast-check';
import { isFixedOffset, getUtcOffset, formatUtcOffset } from './zone.js';
import { resolveRequestZone } from './resolve-request-zone.js';

const AUGUST = '2027-08-10T12:00Z';
const NOVEMBER = '2026-11-23T10:00Z';

/* Each row: case, the Clinic's zone, offset, current time, first Session, expected zone. */
it.each([
  ['no header', 'Europe/London', undefined, NOVEMBER, '2027-06-01T10:00', 'Europe/London'],
  ['the offset of the first Session', 'Europe/London', '+01:00', NOVEMBER, '2027-06-01T10:00', 'Europe/London'],
  ['the offset of now', 'Europe/London', '+00:00', NOVEMBER, '2027-06-01T10:00', 'Europe/London'],
  ['December, planned in August', 'Europe/London', '+01:00', AUGUST, '2027-12-01T10:00', 'Europe/London'],
  ['neither of the two', 'Europe/London', '+02:00', AUGUST, '2027-12-01T10:00', '+02:00'],
  ['summer’s offset for winter, sent in winter', 'Europe/London', '+01:00', NOVEMBER, '2026-12-01T10:00', '+01:00'],
  ['a skipped time, by the offset before', 'Europe/London', '+00:00', AUGUST, '2027-03-28T01:30', 'Europe/London'],
  ['a skipped time, by the offset after', 'Europe/London', '+01:00', NOVEMBER, '2027-03-28T01:30', '+01:00'],
  ['a repeated time, the first', 'Europe/London', '+01:00', NOVEMBER, '2027-10-31T01:30', 'Europe/London'],
  ['a repeated time, the second', 'Europe/London', '+00:00', AUGUST, '2027-10-31T01:30', '+00:00'],
  ['no clock changes', 'Asia/Kolkata', '+05:30', NOVEMBER, '2027-06-01T10:00', 'Asia/Kolkata'],
  ['a quarter of an hour beside it', 'Asia/Kathmandu', '+05:30', NOVEMBER, '2027-06-01T10:00', '+05:30'],
  [
    'half an hour of daylight saving',
    'Australia/Lord_Howe',
    '+10:30',
    NOVEMBER,
    '2027-06-01T10:00',
    'Australia/Lord_Howe',
  ],
  ['an old offset with seconds', 'Africa/Monrovia', '-00:44', NOVEMBER, '1960-06-01T10:00', '-00:44'],
  ['the sign matters', 'America/St_Johns', '+03:30', NOVEMBER, '2026-12-01T10:00', '+03:30'],
  ['UTC', 'UTC', '+00:00', NOVEMBER, '2027-06-01T10:00', 'UTC'],
] as const)('%s', (_what, zone, offset, now, first, expected) => {
  const instant = Temporal.Instant.from(now);
  expect(resolveRequestZone(offset, zone, Temporal.PlainDateTime.from(first), instant)).toBe(expected);
});

const zones = fc.constantFrom('Europe/London', 'America/St_Johns', 'Australia/Lord_Howe', 'Asia/Kolkata', 'UTC');
const moments = fc
  .integer({ min: 0, max: 40 * 365 * 24 * 4 })
  .map((quarters) => Temporal.PlainDateTime.from('2000-01-01T00:00').add({ minutes: 15 * quarters }));
const offsets = fc.integer({ min: -56, max: 56 }).map((quarters) => formatUtcOffset(15 * quarters));
const instants = moments.map((moment) => moment.toZonedDateTime('UTC').toInstant());

it('is the zone if and only if the offset is that of the zone now or at the first local time', () => {
  fc.assert(
    fc.property(zones, offsets, moments, instants, (zone, offset, first, now) => {
      const resolved = resolveRequestZone(offset, zone, first, now);
      const inZone = first.toZonedDateTime(zone).toInstant();
      const isSameInstant = first.toZonedDateTime(offset).toInstant().equals(inZone);
      expect(resolved).toBe(isSameInstant || getUtcOffset(now, zone) === offset ? zone : offset);
      expect(isFixedOffset(resolved)).toBe(resolved === offset);
    }),
  );
});

it('resolves the offset at the first local time to the zone', () => {
  fc.assert(
    fc.property(zones, moments, instants, (zone, first, now) => {
      const offset = getUtcOffset(first.toZonedDateTime(zone).toInstant(), zone);
      // For a skipped time, this is the offset after the gap, at which the same local time is a different instant.
      const isSkipped = !first.toZonedDateTime(zone).toPlainDateTime().equals(first);
      if (!isSkipped) expect(resolveRequestZone(offset, zone, first, now)).toBe(zone);
    }),
  );
});
