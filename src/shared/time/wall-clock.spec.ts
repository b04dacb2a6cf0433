import fc from 'fast-check';
import { parseOffsetHeader } from './request-offset.decorator.js';
import {
  formatSlashDate,
  formatLocalDateTime,
  parseClockTime,
  parseSlashDate,
  parseDateTime,
  toInstant,
} from './wall-clock.js';
import { isTimeZone, formatUtcOffset, normaliseTimeZone } from './zone.js';

const dates = fc
  .record({
    year: fc.integer({ min: 1, max: 9999 }),
    month: fc.integer({ min: 1, max: 12 }),
    day: fc.integer({ min: 1, max: 31 }),
  })
  .map((fields) => Temporal.PlainDate.from(fields, { overflow: 'constrain' }));
const times = fc.record({ hour: fc.nat(23), minute: fc.nat(59) }).map((fields) => Temporal.PlainTime.from(fields));
const two = (value: number) => String(value).padStart(2, '0');

describe('every formatted date and time is parsed to the same value', () => {
  it('yyyy/MM/dd', () => {
    fc.assert(fc.property(dates, (date) => parseSlashDate(formatSlashDate(date))!.equals(date)));
  });

  it('HH:mm', () => {
    fc.assert(fc.property(times, (time) => parseClockTime(time.toString({ smallestUnit: 'minute' }))!.equals(time)));
  });

  it('ISO 8601 and HH:mm, with any seconds and in any time zone', () => {
    const zones = fc.constantFrom('Europe/London', 'Africa/Monrovia', 'Asia/Kathmandu', '+14:00', 'UTC');
    fc.assert(
      fc.property(dates, times, fc.nat(59), zones, (date, time, second, zone) => {
        const moment = date.toPlainDateTime(time.with({ second }));
        const zoned = moment.toZonedDateTime(zone);
        for (const [local, written] of [
          [moment, formatLocalDateTime(moment)],
          [zoned.toPlainDateTime(), formatLocalDateTime(zoned)],
        ] as const) {
          expect(Temporal.PlainDate.from(written.date).equals(local.toPlainDate())).toBe(true);
          expect(
            parseClockTime(written.time)!.equals(
              local.toPlainTime().round({ smallestUnit: 'minute', roundingMode: 'trunc' }),
            ),
          ).toBe(true);
          expect(formatSlashDate(written.date)).toBe(formatSlashDate(local.toPlainDate()));
        }
      }),
    );
  });

  it('also if the local year differs from the year in UTC', () => {
    const last = Temporal.Instant.from('9999-12-31T23:30:00Z').toZonedDateTimeISO('+14:00');
    expect(formatLocalDateTime(last)).toEqual({ date: '+010000-01-01', time: '13:30' });
    const first = Temporal.Instant.from('0001-01-01T00:30:00Z').toZonedDateTimeISO('-12:00');
    expect(formatLocalDateTime(first)).toEqual({ date: '0000-12-31', time: '12:30' });
  });

  it('yyyy/MM/dd HH:mm and d/M/yy h:mm AM|PM', () => {
    const recent = dates.map((date) => date.with({ year: 2000 + (date.year % 100) }));
    fc.assert(
      fc.property(recent, times, fc.boolean(), fc.boolean(), (date, time, lower, padded) => {
        const pad = (value: number) => (padded ? two(value) : String(value));
        const half = time.hour < 12 ? 'AM' : 'PM';
        const short =
          `${pad(date.day)}/${pad(date.month)}/${two(date.year % 100)} ` +
          `${pad(time.hour % 12 || 12)}:${two(time.minute)} ${lower ? half.toLowerCase() : half}`;
        const long = `${formatSlashDate(date)} ${time.toString({ smallestUnit: 'minute' })}`;
        for (const text of [short, long]) {
          const read = parseDateTime(text) as Temporal.PlainDateTime;
          expect(read.toString()).toBe(date.toPlainDateTime(time).toString());
        }
      }),
    );
  });

  it('never throws, whatever the text', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789/-:T ZAPM+.[]') });
    fc.assert(
      fc.property(fc.oneof(fc.string(), digits), (text) => {
        parseDateTime(text);
        parseSlashDate(text);
        parseClockTime(text);
      }),
      { numRuns: 5_000 },
    );
  });
});

it('an exact instant does not depend on the zone, but a local time does', () => {
  expect(toInstant(parseDateTime('2023-08-21T09:30:00Z')!, 'Asia/Tokyo').toString()).toBe('2023-08-21T09:30:00Z');
  expect(toInstant(parseDateTime('2023/08/21 09:30')!, 'Asia/Tokyo').toString()).toBe('2023-08-21T00:30:00Z');
});

describe('zones', () => {
  it.each(['Europe/London', 'UTC', 'America/Argentina/Buenos_Aires', 'Asia/Kolkata'])('%s is a time zone', (name) => {
    expect(isTimeZone(name)).toBe(true);
  });

  it.each([
    ...['', '+01:00', 'Europe', 'Europe/Atlantis', '../../etc/passwd', 'Europe/London\0'],
    // `Intl` accepts the first four of these, and Temporal the others.
    ...['PST', 'ist', 'SystemV/PST8', 'US/Pacific-New', 'T10Z', 'T10:00[Europe/London]'],
  ])('%j is not a time zone', (name) => {
    expect(isTimeZone(name)).toBe(false);
  });

  it.each([
    ['europe/LONDON', 'Europe/London'],
    ['asia/calcutta', 'Asia/Calcutta'],
    ['utc', 'UTC'],
    ['ETC/gmt+5', 'Etc/GMT+5'],
  ])('%s becomes %s', (name, usual) => {
    expect(normaliseTimeZone(name)).toBe(usual);
  });

  it('each name that Intl lists stays as it is', () => {
    for (const name of Intl.supportedValuesOf('timeZone')) expect(normaliseTimeZone(name)).toBe(name);
  });

  it('an offset in minutes is the zone of that offset', () => {
    fc.assert(
      fc.property(fc.integer({ min: -840, max: 840 }), (minutes) => {
        const zoned = Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(formatUtcOffset(minutes));
        expect(zoned.offsetNanoseconds / 60e9).toBe(minutes);
        expect(parseOffsetHeader(String(minutes))).toBe(formatUtcOffset(minutes));
      }),
    );
  });
});

it.each(['+02:00', '+0200', '+02'])('an ISO 8601 date-time may end with the offset %s', (offset) => {
  expect(parseDateTime(`2023-08-21T09:30:00${offset}`)!.toString()).toBe('2023-08-21T07:30:00Z');
});
