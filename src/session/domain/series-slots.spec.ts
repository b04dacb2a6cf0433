import fc from 'fast-check';
import { computeFirstUpcomingTime, createSeriesSlots, createSessionSlot } from './series-slots.js';

// The expected instants come from an independent implementation of the IANA rules (Python's zoneinfo).
const TABLE: [zone: string, first: string, count: number, intervalDays: number, startsAt: string[], why: string][] = [
  [
    'Europe/London',
    '2027-03-21T01:30',
    3,
    7,
    ['2027-03-21T01:30:00Z', '2027-03-28T01:30:00Z', '2027-04-04T00:30:00Z'],
    'spring gap: the second Session moves forward by the hour',
  ],
  [
    'Europe/London',
    '2027-03-27T09:00',
    3,
    1,
    ['2027-03-27T09:00:00Z', '2027-03-28T08:00:00Z', '2027-03-29T08:00:00Z'],
    'the morning after the gap',
  ],
  [
    'Europe/London',
    '2027-10-24T01:30',
    3,
    7,
    ['2027-10-24T00:30:00Z', '2027-10-31T00:30:00Z', '2027-11-07T01:30:00Z'],
    'autumn overlap: the first of the two',
  ],
  [
    'Europe/London',
    '2027-10-30T23:30',
    3,
    1,
    ['2027-10-30T22:30:00Z', '2027-10-31T23:30:00Z', '2027-11-01T23:30:00Z'],
    'late evening before the overlap',
  ],
  [
    'Europe/London',
    '2028-02-28T10:00',
    3,
    1,
    ['2028-02-28T10:00:00Z', '2028-02-29T10:00:00Z', '2028-03-01T10:00:00Z'],
    'leap day',
  ],
  [
    'Europe/London',
    '2027-12-30T18:00',
    4,
    1,
    ['2027-12-30T18:00:00Z', '2027-12-31T18:00:00Z', '2028-01-01T18:00:00Z', '2028-01-02T18:00:00Z'],
    'year end',
  ],
  [
    'America/Los_Angeles',
    '2027-03-07T02:30',
    3,
    7,
    ['2027-03-07T10:30:00Z', '2027-03-14T10:30:00Z', '2027-03-21T09:30:00Z'],
    'spring gap',
  ],
  [
    'America/Los_Angeles',
    '2027-10-31T01:15',
    3,
    7,
    ['2027-10-31T08:15:00Z', '2027-11-07T08:15:00Z', '2027-11-14T09:15:00Z'],
    'autumn overlap',
  ],
  [
    'America/Los_Angeles',
    '2028-02-29T08:00',
    2,
    365,
    ['2028-02-29T16:00:00Z', '2029-02-28T16:00:00Z'],
    'from a leap day, a year on',
  ],
  [
    'America/Los_Angeles',
    '2027-01-31T12:00',
    3,
    14,
    ['2027-01-31T20:00:00Z', '2027-02-14T20:00:00Z', '2027-02-28T20:00:00Z'],
    'month ends',
  ],
  [
    'America/St_Johns',
    '2027-03-14T02:15',
    2,
    7,
    ['2027-03-14T05:45:00Z', '2027-03-21T04:45:00Z'],
    'half-hour zone, spring gap',
  ],
  [
    'America/St_Johns',
    '2027-11-07T01:45',
    2,
    1,
    ['2027-11-07T04:15:00Z', '2027-11-08T05:15:00Z'],
    'half-hour zone, autumn overlap',
  ],
  [
    'Australia/Lord_Howe',
    '2027-10-02T02:15',
    3,
    1,
    ['2027-10-01T15:45:00Z', '2027-10-02T15:45:00Z', '2027-10-03T15:15:00Z'],
    'gap of 30 minutes',
  ],
  [
    'Australia/Lord_Howe',
    '2027-04-03T01:45',
    3,
    1,
    ['2027-04-02T14:45:00Z', '2027-04-03T14:45:00Z', '2027-04-04T15:15:00Z'],
    'overlap of 30 minutes',
  ],
  ['Australia/Sydney', '2027-10-03T02:30', 2, 7, ['2027-10-02T16:30:00Z', '2027-10-09T15:30:00Z'], 'southern spring'],
  ['Australia/Sydney', '2027-04-04T02:30', 2, 7, ['2027-04-03T15:30:00Z', '2027-04-10T16:30:00Z'], 'southern autumn'],
  [
    'Asia/Kolkata',
    '2027-03-28T06:15',
    3,
    7,
    ['2027-03-28T00:45:00Z', '2027-04-04T00:45:00Z', '2027-04-11T00:45:00Z'],
    'no daylight saving',
  ],
  [
    'Asia/Kathmandu',
    '2027-12-31T23:45',
    2,
    1,
    ['2027-12-31T18:00:00Z', '2028-01-01T18:00:00Z'],
    'quarter-hour zone, year end',
  ],
  [
    'Pacific/Chatham',
    '2027-09-26T02:50',
    2,
    1,
    ['2027-09-25T14:05:00Z', '2027-09-26T13:05:00Z'],
    'quarter-hour zone with a gap',
  ],
  [
    'Pacific/Chatham',
    '2027-04-04T03:00',
    2,
    1,
    ['2027-04-03T13:15:00Z', '2027-04-04T14:15:00Z'],
    'quarter-hour zone with an overlap',
  ],
  [
    'America/New_York',
    '2026-10-26T17:30',
    8,
    7,
    [
      '2026-10-26T21:30:00Z',
      '2026-11-02T22:30:00Z',
      '2026-11-09T22:30:00Z',
      '2026-11-16T22:30:00Z',
      '2026-11-23T22:30:00Z',
      '2026-11-30T22:30:00Z',
      '2026-12-07T22:30:00Z',
      '2026-12-14T22:30:00Z',
    ],
    'eight weeks across the autumn change',
  ],
  [
    'Europe/Berlin',
    '2027-02-08T08:00',
    9,
    7,
    [
      '2027-02-08T07:00:00Z',
      '2027-02-15T07:00:00Z',
      '2027-02-22T07:00:00Z',
      '2027-03-01T07:00:00Z',
      '2027-03-08T07:00:00Z',
      '2027-03-15T07:00:00Z',
      '2027-03-22T07:00:00Z',
      '2027-03-29T06:00:00Z',
      '2027-04-05T06:00:00Z',
    ],
    'nine weeks across the spring change',
  ],
  [
    '+05:30',
    '2027-03-28T06:15',
    2,
    7,
    ['2027-03-28T00:45:00Z', '2027-04-04T00:45:00Z'],
    'a fixed offset knows no daylight saving',
  ],
  ['-03:30', '2027-12-31T23:59', 2, 1, ['2028-01-01T03:29:00Z', '2028-01-02T03:29:00Z'], 'a fixed offset west'],
];

describe('the start of every Session of a series', () => {
  it.each(TABLE)('%s from %s, %i every %i days: %j (%s)', (zone, first, count, intervalDays, startsAt) => {
    const slots = createSeriesSlots(Temporal.PlainDateTime.from(first), zone, count, intervalDays);
    expect(slots.map((slot) => slot.startsAt.toString())).toEqual(startsAt);
    expect(slots.every((slot) => slot.timeZone === zone)).toBe(true);
  });

  it('is a week after the previous one by default', () => {
    const slots = createSeriesSlots(Temporal.PlainDateTime.from('2027-05-03T10:00'), 'UTC', 2);
    expect(slots[0]!.startsAt.until(slots[1]!.startsAt).total('days')).toBe(7);
  });
});

const zones = fc.constantFrom(...new Set(TABLE.map(([zone]) => zone)));
const firsts = fc
  .record({
    year: fc.integer({ min: 1975, max: 2060 }),
    month: fc.integer({ min: 1, max: 12 }),
    day: fc.integer({ min: 1, max: 28 }),
    hour: fc.integer({ min: 0, max: 23 }),
    minute: fc.integer({ min: 0, max: 59 }),
  })
  .map((fields) => Temporal.PlainDateTime.from(fields));

describe('for every zone, start, count and interval', () => {
  const anySeries = fc.tuple(firsts, zones, fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 365 }));

  it('the requested number of Sessions is created, in order, at one local time', () => {
    fc.assert(
      fc.property(anySeries, ([first, zone, count, intervalDays]) => {
        const slots = createSeriesSlots(first, zone, count, intervalDays);
        expect(slots).toHaveLength(count);
        slots.forEach((slot, index) => {
          expect(slot.planned.toPlainTime().equals(first.toPlainTime())).toBe(true);
          expect(first.until(slot.planned, { largestUnit: 'days' }).days).toBe(index * intervalDays);
          const before = slots[index - 1];
          if (before) expect(Temporal.Instant.compare(before.startsAt, slot.startsAt)).toBe(-1);
        });
      }),
    );
  });

  it('a Session starts at its planned local time, or later by a gap of at most two hours', () => {
    fc.assert(
      fc.property(anySeries, ([first, zone, count, intervalDays]) => {
        for (const { planned, startsAt } of createSeriesSlots(first, zone, count, intervalDays)) {
          const late = planned.until(startsAt.toZonedDateTimeISO(zone).toPlainDateTime()).total('minutes');
          expect(late).toBeGreaterThanOrEqual(0);
          expect(late).toBeLessThanOrEqual(120);
        }
      }),
    );
  });
});

describe('the first upcoming time', () => {
  it.each([
    ['2027-03-01T09:30', '2027-02-28T09:30:00Z', '2027-03-01T09:30', 'it is itself ahead'],
    ['2027-03-01T09:30', '2027-03-01T09:30:00Z', '2027-03-08T09:30', 'now is not ahead'],
    ['2027-03-01T09:30', '2027-03-08T09:29:00Z', '2027-03-08T09:30', 'the same day, later'],
    ['2027-03-22T09:30', '2027-03-29T08:29:00Z', '2027-03-29T09:30', 'across daylight saving'],
    ['2027-03-22T09:30', '2027-03-29T08:30:00Z', '2027-04-05T09:30', 'across daylight saving, to the minute'],
    ['0001-01-01T00:00', '2027-03-01T00:00:00Z', '2027-03-08T00:00', 'from the year 1'],
  ])('from %s, at %s: %s (%s)', (planned, now, ahead) => {
    const first = computeFirstUpcomingTime(
      Temporal.PlainDateTime.from(planned),
      'Europe/London',
      7,
      Temporal.Instant.from(now),
    );
    expect(first.toString({ smallestUnit: 'minute' })).toBe(ahead);
  });

  it('is in the future after a whole number of intervals, and is the first such time', () => {
    fc.assert(
      fc.property(firsts, firsts, zones, fc.integer({ min: 1, max: 365 }), (planned, at, zone, intervalDays) => {
        const now = createSessionSlot(at, zone).startsAt;
        const isAhead = (time: Temporal.PlainDateTime) =>
          Temporal.Instant.compare(createSessionSlot(time, zone).startsAt, now) > 0;
        const ahead = computeFirstUpcomingTime(planned, zone, intervalDays, now);
        const { days } = planned.toPlainDate().until(ahead.toPlainDate(), { largestUnit: 'days' });
        expect(isAhead(ahead)).toBe(true);
        expect([days % intervalDays, ahead.toPlainTime().equals(planned.toPlainTime())]).toEqual([0, true]);
        if (days > 0) expect(isAhead(ahead.subtract({ days: intervalDays }))).toBe(false);
      }),
    );
  });
});
