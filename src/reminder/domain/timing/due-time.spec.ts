import fc from 'fast-check';
import {
  computeDueAfterCreation,
  computeDueAroundStart,
  computeHomeworkReminderDue,
  isReminderOffset,
} from './due-time.js';

// The expected instants were computed with an independent implementation of the time zone rules, Python's zoneinfo.
const AFTER_CREATION: [zone: string, createdAt: string, remindDays: number, due: string, why: string][] = [
  ['Europe/London', '2027-03-27T01:30:00Z', 1, '2027-03-28T01:30:00Z', 'into the gap'],
  ['Europe/London', '2027-03-27T09:00:00Z', 1, '2027-03-28T08:00:00Z', '23 hours later'],
  ['Europe/London', '2027-10-30T00:30:00Z', 1, '2027-10-31T00:30:00Z', 'into the overlap'],
  ['Europe/London', '2027-10-30T08:00:00Z', 1, '2027-10-31T09:00:00Z', '25 hours later'],
  ['Europe/London', '2028-02-28T12:00:00Z', 1, '2028-02-29T12:00:00Z', 'onto the leap day'],
  ['Europe/London', '2028-02-28T12:00:00Z', 2, '2028-03-01T12:00:00Z', 'past the leap day'],
  ['Europe/London', '2027-12-31T23:59:00Z', 1, '2028-01-01T23:59:00Z', 'year end'],
  ['Europe/London', '2026-11-21T10:00:00Z', 3650, '2036-11-18T10:00:00Z', 'ten years'],
  ['America/Los_Angeles', '2027-03-13T10:30:00Z', 1, '2027-03-14T10:30:00Z', 'into the gap'],
  ['America/Los_Angeles', '2027-11-06T08:30:00Z', 1, '2027-11-07T08:30:00Z', 'into the overlap'],
  ['America/Los_Angeles', '2027-03-08T02:00:00Z', 30, '2027-04-07T01:00:00Z', 'thirty days across the change'],
  ['America/St_Johns', '2027-03-13T05:45:00Z', 1, '2027-03-14T05:45:00Z', 'into the gap'],
  ['America/St_Johns', '2027-11-06T03:45:00Z', 1, '2027-11-07T03:45:00Z', 'into the overlap'],
  ['Australia/Lord_Howe', '2027-10-01T15:40:00Z', 1, '2027-10-02T15:40:00Z', 'into a gap of 30 minutes'],
  ['Australia/Lord_Howe', '2027-04-02T14:40:00Z', 1, '2027-04-03T14:40:00Z', 'into an overlap of 30 minutes'],
  ['Australia/Sydney', '2027-10-01T16:00:00Z', 1, '2027-10-02T16:00:00Z', 'southern gap'],
  ['Asia/Kolkata', '2027-01-31T17:30:00Z', 28, '2027-02-28T17:30:00Z', 'month ends'],
  ['Asia/Kathmandu', '2027-04-29T18:30:00Z', 31, '2027-05-30T18:30:00Z', 'month ends'],
  ['Pacific/Chatham', '2027-09-24T14:05:00Z', 1, '2027-09-25T14:05:00Z', 'into the gap'],
  ['America/New_York', '2027-03-14T06:59:00Z', 364, '2028-03-12T06:59:00Z', 'a year less a day'],
  ['Europe/Berlin', '2027-03-28T01:00:00Z', 0, '2027-03-28T01:00:00Z', 'at once'],
  ['+05:30', '2027-03-27T00:45:00Z', 7, '2027-04-03T00:45:00Z', 'fixed offset'],
];

const AROUND_START: [zone: string, startsAt: string, offset: string, due: string, why: string][] = [
  ['Europe/London', '2027-03-28T09:00:00Z', '-P1D', '2027-03-27T10:00:00Z', 'a calendar day: the same local time'],
  ['Europe/London', '2027-03-28T09:00:00Z', '-PT24H', '2027-03-27T09:00:00Z', '24 hours: exact'],
  ['Europe/London', '2027-10-31T10:00:00Z', '-P1D', '2027-10-30T09:00:00Z', 'a day of 25 hours'],
  ['Europe/London', '2027-10-31T10:00:00Z', '-PT2H', '2027-10-31T08:00:00Z', 'clock units'],
  ['Europe/London', '2027-03-29T00:30:00Z', '-P1D', '2027-03-28T01:30:00Z', 'into the gap: moves forward'],
  ['America/Los_Angeles', '2027-03-15T16:00:00Z', '-P1W', '2027-03-08T17:00:00Z', 'a week across the change'],
  ['America/Los_Angeles', '2027-03-14T17:00:00Z', '-P1DT2H', '2027-03-13T16:00:00Z', 'days first, then hours'],
  ['Australia/Lord_Howe', '2027-10-03T22:00:00Z', '-P2D', '2027-10-01T22:30:00Z', 'half an hour of daylight saving'],
  ['Asia/Kolkata', '2027-03-31T04:30:00Z', '-P1M', '2027-02-28T04:30:00Z', 'a month back, to its last day'],
  ['Europe/London', '2027-05-01T08:00:00Z', 'P1D', '2027-05-02T08:00:00Z', 'afterwards'],
];

const IN_WEEK: [zone: string, weekStart: string, day: number, time: string, due: string, why: string][] = [
  ['Europe/London', '2027-03-22', 1, '18:30', '2027-03-22T18:30:00Z', 'the first day is that of the Session'],
  ['Europe/London', '2027-03-22', 7, '18:30', '2027-03-28T17:30:00Z', 'the last day, after the change'],
  ['Europe/London', '2027-03-22', 7, '01:30', '2027-03-28T01:30:00Z', 'in the gap: moves forward'],
  ['Europe/London', '2027-10-25', 7, '01:30', '2027-10-31T00:30:00Z', 'in the overlap: the first time'],
  ['Australia/Lord_Howe', '2027-10-03', 1, '02:15', '2027-10-02T15:45:00Z', 'in a gap of 30 minutes'],
  ['America/Los_Angeles', '2028-02-27', 3, '00:00', '2028-02-29T08:00:00Z', 'on the leap day'],
  ['Asia/Kathmandu', '2027-12-28', 7, '23:59', '2028-01-03T18:14:00Z', 'into the next year'],
];

describe('a reminder of remindDays is due', () => {
  it.each(AFTER_CREATION)('%s %s + %i days: %s (%s)', (zone, createdAt, remindDays, due) => {
    expect(computeDueAfterCreation(Temporal.Instant.from(createdAt), remindDays, zone).toString()).toBe(due);
  });

  it('never before the creation, and about the given number of days later', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...new Set(AFTER_CREATION.map(([zone]) => zone))),
        fc.integer({ min: 0, max: 4_000_000_000_000 }),
        fc.integer({ min: 0, max: 3650 }),
        (zone, milliseconds, days) => {
          const createdAt = Temporal.Instant.fromEpochMilliseconds(milliseconds);
          const hours = createdAt.until(computeDueAfterCreation(createdAt, days, zone)).total('hours');
          expect(hours).toBeGreaterThanOrEqual(Math.max(0, days * 24 - 2));
          expect(hours).toBeLessThanOrEqual(days * 24 + 2);
        },
      ),
    );
  });

  it('at once for 0 days, also in the second hour of an overlap', () => {
    const secondTime = Temporal.Instant.from('2027-10-31T01:30:00Z');
    expect(computeDueAfterCreation(secondTime, 0, 'Europe/London').equals(secondTime)).toBe(true);
  });
});

describe('a reminder around the start is due', () => {
  it.each(AROUND_START)('%s %s %s: %s (%s)', (zone, startsAt, offset, due) => {
    expect(computeDueAroundStart(Temporal.Instant.from(startsAt), offset, zone).toString()).toBe(due);
  });
});

describe('a reminder of homework is due', () => {
  it.each(IN_WEEK)('%s, week of %s, day %i at %s: %s (%s)', (zone, weekStart, day, time, due) => {
    expect(computeHomeworkReminderDue(Temporal.PlainDate.from(weekStart), day, time, zone).toString()).toBe(due);
  });
});

it.each(['-P1D', 'PT2H', '-P1DT12H', 'P10Y', '-PT0.5H', 'P0D', 'P3660D', '-P3660D'])(
  'accepts the duration %s',
  (text) => {
    expect(isReminderOffset(text)).toBe(true);
  },
);

it.each(['', '1D', 'P', 'P1X', '-P11Y', 'P3660DT1S', '-P3660DT1S', 'P1000000000D', 'PT999999999999H', 'P1D2H'])(
  'refuses the duration %s',
  (text) => {
    expect(isReminderOffset(text)).toBe(false);
  },
);
