import fc from 'fast-check';
import {
  computeLastMinuteBeforeQuietHours,
  findLastQuietHoursEnd,
  findQuietHoursEnd,
  MAX_QUIET_PERIOD,
  UNREAD_TIME_SETTINGS,
  type QuietHours,
} from './quiet-hours.js';

// The expected instants were computed with an independent implementation of the time zone rules, Python's zoneinfo.
const ENDS: [zone: string, from: string, to: string, at: string, end: string | null, why: string][] = [
  [
    'Europe/London',
    '21:00',
    '08:00',
    '2027-01-15T22:00:00Z',
    '2027-01-16T08:00:00Z',
    'in the evening: until the next morning',
  ],
  [
    'Europe/London',
    '21:00',
    '08:00',
    '2027-01-15T03:00:00Z',
    '2027-01-15T08:00:00Z',
    'after midnight: until the same morning',
  ],
  ['Europe/London', '21:00', '08:00', '2027-01-15T21:00:00Z', '2027-01-16T08:00:00Z', 'the first quiet minute'],
  ['Europe/London', '21:00', '08:00', '2027-01-15T20:59:59Z', null, 'a second before it'],
  ['Europe/London', '21:00', '08:00', '2027-01-15T08:00:00Z', null, 'the first minute that is not quiet'],
  ['Europe/London', '21:00', '08:00', '2027-01-15T07:59:59Z', '2027-01-15T08:00:00Z', 'a second before it'],
  ['Europe/London', '00:00', '06:00', '2027-01-15T00:00:00Z', '2027-01-15T06:00:00Z', 'from midnight'],
  ['Europe/London', '00:00', '06:00', '2027-01-14T23:59:59Z', null, 'a second before midnight'],
  ['Europe/London', '22:00', '00:00', '2027-01-15T23:30:00Z', '2027-01-16T00:00:00Z', 'until midnight'],
  ['Europe/London', '22:00', '00:00', '2027-01-16T00:00:00Z', null, 'at midnight'],
  ['Europe/London', '12:00', '14:00', '2027-07-15T11:30:00Z', '2027-07-15T13:00:00Z', 'in the middle of a summer day'],
  ['Europe/London', '12:00', '14:00', '2027-07-15T13:00:00Z', null, 'at their end, in summer'],
  [
    'Europe/London',
    '21:00',
    '08:00',
    '2027-07-15T20:30:00Z',
    '2027-07-16T07:00:00Z',
    'an hour earlier in UTC, in summer',
  ],
  ['Europe/London', '21:00', '08:00', '2026-12-31T23:00:00Z', '2027-01-01T08:00:00Z', 'into the new year'],
  ['Europe/London', '21:00', '08:00', '2028-02-28T23:00:00Z', '2028-02-29T08:00:00Z', 'onto the leap day'],
  ['Europe/London', '21:00', '08:00', '2027-03-27T22:00:00Z', '2027-03-28T07:00:00Z', 'a night of an hour less'],
  ['Europe/London', '21:00', '08:00', '2027-10-30T21:00:00Z', '2027-10-31T08:00:00Z', 'a night of an hour more'],
  [
    'Europe/London',
    '22:00',
    '01:30',
    '2027-03-28T00:30:00Z',
    '2027-03-28T01:30:00Z',
    'an end that is skipped moves forward',
  ],
  ['Europe/London', '22:00', '01:30', '2027-03-28T01:15:00Z', '2027-03-28T01:30:00Z', 'between the jump and that end'],
  [
    'Europe/London',
    '01:30',
    '06:00',
    '2027-03-28T01:00:00Z',
    '2027-03-28T05:00:00Z',
    'a beginning that is skipped is the jump',
  ],
  ['Europe/London', '01:30', '06:00', '2027-03-28T00:59:59Z', null, 'a second before the jump'],
  [
    'Europe/London',
    '22:00',
    '01:30',
    '2027-10-31T00:40:00Z',
    '2027-10-31T01:30:00Z',
    'an end that occurs twice is the second',
  ],
  ['Europe/London', '22:00', '01:30', '2027-10-31T01:30:00Z', null, 'at that end'],
  [
    'Europe/London',
    '01:30',
    '06:00',
    '2027-10-31T00:30:00Z',
    '2027-10-31T06:00:00Z',
    'a beginning that occurs twice is the first',
  ],
  ['Europe/London', '01:30', '06:00', '2027-10-31T01:10:00Z', '2027-10-31T06:00:00Z', 'in the doubled hour after it'],
  [
    'Europe/London',
    '02:00',
    '01:30',
    '2027-03-27T12:00:00Z',
    '2027-03-29T00:30:00Z',
    'the one half hour that is not quiet is skipped',
  ],
  [
    'Europe/London',
    '01:45',
    '01:15',
    '2027-10-30T12:00:00Z',
    '2027-11-01T01:15:00Z',
    'the one half hour that is not quiet is doubled',
  ],
  ['America/Los_Angeles', '21:00', '08:00', '2027-01-15T04:00:00Z', null, 'not yet, the day before in local time'],
  ['America/Los_Angeles', '21:00', '08:00', '2027-01-15T05:00:00Z', '2027-01-15T16:00:00Z', 'the next day in UTC'],
  [
    'America/Los_Angeles',
    '02:30',
    '07:00',
    '2027-03-14T10:10:00Z',
    '2027-03-14T14:00:00Z',
    'a beginning that is skipped',
  ],
  ['America/Los_Angeles', '21:00', '02:30', '2027-03-14T09:30:00Z', '2027-03-14T10:30:00Z', 'an end that is skipped'],
  ['America/Los_Angeles', '21:00', '01:30', '2027-11-07T08:45:00Z', '2027-11-07T09:30:00Z', 'an end that occurs twice'],
  [
    'America/Los_Angeles',
    '01:30',
    '07:00',
    '2027-11-07T08:30:00Z',
    '2027-11-07T15:00:00Z',
    'a beginning that occurs twice',
  ],
  [
    'Australia/Lord_Howe',
    '21:00',
    '08:00',
    '2027-10-02T12:00:00Z',
    '2027-10-02T21:00:00Z',
    'a night of half an hour less',
  ],
  [
    'Australia/Lord_Howe',
    '21:00',
    '08:00',
    '2027-04-03T12:00:00Z',
    '2027-04-03T21:30:00Z',
    'a night of half an hour more',
  ],
  [
    'Australia/Lord_Howe',
    '22:00',
    '02:15',
    '2027-10-02T15:00:00Z',
    '2027-10-02T15:45:00Z',
    'an end in a gap of 30 minutes',
  ],
  [
    'Australia/Lord_Howe',
    '02:15',
    '06:00',
    '2027-10-02T15:30:00Z',
    '2027-10-02T19:00:00Z',
    'a beginning in a gap of 30 minutes',
  ],
  [
    'Australia/Lord_Howe',
    '22:00',
    '01:45',
    '2027-04-03T14:50:00Z',
    '2027-04-03T15:15:00Z',
    'an end in an overlap of 30 minutes',
  ],
  ['Pacific/Chatham', '21:00', '08:00', '2027-01-15T10:00:00Z', '2027-01-15T18:15:00Z', '13:45 ahead of UTC in summer'],
  ['Pacific/Chatham', '22:00', '03:00', '2027-09-25T13:30:00Z', '2027-09-25T14:15:00Z', 'an end in the gap at 02:45'],
  [
    'Pacific/Chatham',
    '22:00',
    '03:00',
    '2027-04-03T14:00:00Z',
    '2027-04-03T14:15:00Z',
    'an end in the overlap at 03:45',
  ],
  ['Pacific/Chatham', '03:15', '07:00', '2027-04-03T13:30:00Z', '2027-04-03T18:15:00Z', 'a beginning in the overlap'],
  [
    'Asia/Kathmandu',
    '22:00',
    '06:15',
    '2027-05-01T16:15:00Z',
    '2027-05-02T00:30:00Z',
    '5:45 ahead of UTC, at the beginning',
  ],
  ['Asia/Kathmandu', '22:00', '06:15', '2027-05-02T00:29:59Z', '2027-05-02T00:30:00Z', 'a second before the end'],
  ['Asia/Kathmandu', '22:00', '06:15', '2027-05-02T00:30:00Z', null, 'at the end'],
  [
    'America/St_Johns',
    '23:00',
    '02:30',
    '2027-03-14T05:15:00Z',
    '2027-03-14T06:00:00Z',
    'an end in the gap, half an hour off',
  ],
  [
    'Africa/Cairo',
    '00:30',
    '07:00',
    '2027-04-29T22:00:00Z',
    '2027-04-30T04:00:00Z',
    'a gap at midnight: the jump begins them',
  ],
  [
    'Africa/Cairo',
    '21:00',
    '00:00',
    '2027-04-29T21:30:00Z',
    '2027-04-29T22:00:00Z',
    'a gap at midnight: the end moves to one',
  ],
  [
    'America/Havana',
    '22:00',
    '00:30',
    '2027-11-07T04:40:00Z',
    '2027-11-07T05:30:00Z',
    'an overlap at midnight: the second end',
  ],
  ['Antarctica/Troll', '01:30', '09:00', '2027-03-28T01:00:00Z', '2027-03-28T07:00:00Z', 'a gap of two hours'],
  [
    'Antarctica/Troll',
    '02:01',
    '02:00',
    '2027-10-30T00:01:00Z',
    '2027-11-01T02:00:00Z',
    'two days, as the hours that the clocks repeat cover the break between them',
  ],
  ['+05:30', '21:00', '08:00', '2027-01-15T15:30:00Z', '2027-01-16T02:30:00Z', 'a fixed offset'],
  ['Etc/UTC', '21:00', '08:00', '2027-01-15T20:30:00Z', null, 'not yet'],
];

const ZONES = [...new Set(ENDS.map(([zone]) => zone))];
/** The largest clock change, at Troll. */
const SHIFT_HOURS = 2;

const hourMinute = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'));
const quietHours = fc.record({ from: hourMinute, to: hourMinute }).filter(({ from, to }) => from !== to);
/** Quiet hours that leave a break of a few minutes each day. */
const almostAlwaysQuiet = fc.tuple(hourMinute, fc.integer({ min: 1, max: 5 })).map(([to, minutes]) => {
  const from = Temporal.PlainTime.from(to).add({ minutes });
  return { from: from.toString({ smallestUnit: 'minute' }), to };
});
/** Instants from 2027 to 2029, half of them within five hours of a clock change. */
const moment = fc.constantFrom(...ZONES).chain((zone) => {
  const minutes = fc.integer({ min: 0, max: 3 * 365 * 24 * 60 });
  const anywhere = minutes.map((minute) => Temporal.Instant.from('2027-01-01T00:00:00Z').add({ minutes: minute }));
  const nearChange = fc.tuple(anywhere, fc.integer({ min: -300, max: 300 })).map(([instant, offset]) => {
    const change = instant.toZonedDateTimeISO(zone).getTimeZoneTransition('next')?.toInstant() ?? instant;
    return change.add({ minutes: offset });
  });
  return fc.record({ zone: fc.constant(zone), instant: fc.oneof(anywhere, nearChange) });
});

/** Compares local times only and ignores clock changes. */
function clockIsWithin(instant: Temporal.Instant, { from, to }: QuietHours, zone: string): boolean {
  const clock = instant.toZonedDateTimeISO(zone).toPlainTime().toString({ smallestUnit: 'minute' });
  return from < to ? from <= clock && clock < to : from <= clock || clock < to;
}

function isNearChange(instant: Temporal.Instant, zone: string): boolean {
  const [before, after] = [{ hours: -24 - SHIFT_HOURS }, { hours: 24 + SHIFT_HOURS }].map(
    (distance) => instant.add(distance).toZonedDateTimeISO(zone).offset,
  );
  return before !== after;
}

describe('quiet hours end', () => {
  it.each(ENDS)('%s %s-%s at %s: %s (%s)', (zone, from, to, at, end) => {
    expect(findQuietHoursEnd(Temporal.Instant.from(at), { from, to }, zone)?.toString() ?? null).toBe(end);
  });

  it('later, and never in quiet hours', () => {
    fc.assert(
      fc.property(moment, quietHours, ({ zone, instant }, quiet) => {
        const end = findQuietHoursEnd(instant, quiet, zone);
        if (end === null) return;
        expect(Temporal.Instant.compare(instant, end)).toBe(-1);
        expect(findQuietHoursEnd(end, quiet, zone)).toBeNull();
      }),
      { numRuns: 2_000 },
    );
  });

  it('at most 25 hours later, if the rest of the day is longer than a clock change', () => {
    fc.assert(
      fc.property(moment, quietHours, ({ zone, instant }, quiet) => {
        const length = Temporal.PlainTime.from(quiet.from).until(quiet.to).total('hours');
        fc.pre((length + 24) % 24 < 24 - SHIFT_HOURS);
        const end = findQuietHoursEnd(instant, quiet, zone);
        if (end !== null) expect(instant.until(end).total('hours')).toBeLessThanOrEqual(25);
      }),
      { numRuns: 2_000 },
    );
  });

  it('and the last minute before them lie at most 50 hours apart', () => {
    const limit = MAX_QUIET_PERIOD.total('hours');
    fc.assert(
      fc.property(moment, fc.oneof(quietHours, almostAlwaysQuiet), ({ zone, instant }, quiet) => {
        const end = findQuietHoursEnd(instant, quiet, zone);
        if (end === null) return;
        const lastMinute = computeLastMinuteBeforeQuietHours(instant, quiet, zone);
        expect(lastMinute.until(end).total('hours')).toBeLessThanOrEqual(limit);
      }),
      { numRuns: 4_000 },
    );
    const [, from, to, at, end] = ENDS.find(
      ([zone, , , start]) => zone === 'Antarctica/Troll' && start.includes('-10-'),
    )!;
    const lastMinute = computeLastMinuteBeforeQuietHours(Temporal.Instant.from(at), { from, to }, 'Antarctica/Troll');
    expect(lastMinute.until(end!).total('hours')).toBe(limit);
  });

  it('within a bound that holds in all time zones', () => {
    const [from, until] = [
      Temporal.Instant.from('2026-01-01T00:00:00Z'),
      Temporal.Instant.from('2036-01-01T00:00:00Z'),
    ];
    const shifts = Intl.supportedValuesOf('timeZone').flatMap((zone) => {
      const found: number[] = [];
      for (let at = from.toZonedDateTimeISO(zone); ;) {
        const next = at.getTimeZoneTransition('next');
        if (next === null || Temporal.Instant.compare(next.toInstant(), until) > 0) return found;
        found.push(Math.abs(next.offsetNanoseconds - next.subtract({ nanoseconds: 1 }).offsetNanoseconds));
        at = next;
      }
    });
    expect(Math.max(...shifts) / 3_600_000_000_000).toBe(SHIFT_HOURS);
  });
});

describe('an instant is in quiet hours', () => {
  it('whenever the local time is, on every day', () => {
    fc.assert(
      fc.property(moment, quietHours, ({ zone, instant }, quiet) => {
        if (clockIsWithin(instant, quiet, zone)) expect(findQuietHoursEnd(instant, quiet, zone)).not.toBeNull();
      }),
      { numRuns: 2_000 },
    );
  });

  it('only when the local time is, on days without a clock change', () => {
    fc.assert(
      fc.property(moment, quietHours, ({ zone, instant }, quiet) => {
        fc.pre(!isNearChange(instant, zone));
        expect(findQuietHoursEnd(instant, quiet, zone) !== null).toBe(clockIsWithin(instant, quiet, zone));
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('the last end of quiet hours', () => {
  it.each<[zone: string, from: string, to: string, at: string, end: string, why: string]>([
    ['Europe/London', '21:00', '08:00', '2027-01-16T08:00:00Z', '2027-01-16T08:00:00Z', 'at the end itself'],
    ['Europe/London', '21:00', '08:00', '2027-01-16T07:59:59Z', '2027-01-15T08:00:00Z', 'in quiet hours'],
    ['Europe/London', '12:00', '14:00', '2027-07-15T15:00:00Z', '2027-07-15T13:00:00Z', 'on the same day'],
    ['Europe/London', '02:00', '01:30', '2027-03-28T12:00:00Z', '2027-03-27T01:30:00Z', 'within two quiet days'],
    ['Europe/London', '02:00', '01:30', '2027-03-29T00:15:00Z', '2027-03-27T01:30:00Z', 'after the second midnight'],
    ['America/St_Johns', '02:00', '03:00', '2027-03-14T12:00:00Z', '2027-03-13T06:30:00Z', 'skipped by the clocks'],
  ])('%s %s-%s at %s: %s (%s)', (timeZone, from, to, at, expected) => {
    const end = findLastQuietHoursEnd(Temporal.Instant.from(at), { from, to }, timeZone);
    expect(end?.toString()).toBe(expected);
  });

  it('is the end from before it until the next quiet hours', () => {
    fc.assert(
      fc.property(moment, fc.oneof(quietHours, almostAlwaysQuiet), ({ zone, instant }, quiet) => {
        const end = findLastQuietHoursEnd(instant, quiet, zone)!;
        expect(Temporal.Instant.compare(end, instant)).not.toBe(1);
        expect(findQuietHoursEnd(end.subtract({ milliseconds: 1 }), quiet, zone)?.equals(end)).toBe(true);
        expect(findQuietHoursEnd(end, quiet, zone)).toBeNull();
        const lastMinute = computeLastMinuteBeforeQuietHours(instant, quiet, zone);
        const isQuiet = findQuietHoursEnd(instant, quiet, zone) !== null;
        if (isQuiet) expect(findLastQuietHoursEnd(lastMinute, quiet, zone)?.equals(end)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the last minute before quiet hours', () => {
  it.each<[zone: string, from: string, to: string, at: string, minute: string, why: string]>([
    ['Europe/London', '21:00', '08:00', '2027-01-15T22:00:00Z', '2027-01-15T20:59:00Z', 'in the evening'],
    ['Europe/London', '21:00', '08:00', '2027-01-16T07:59:59Z', '2027-01-15T20:59:00Z', 'after midnight'],
    ['Europe/London', '21:00', '08:00', '2027-01-15T21:00:00Z', '2027-01-15T20:59:00Z', 'in the first quiet minute'],
    ['Europe/London', '21:00', '08:00', '2027-01-15T20:59:30Z', '2027-01-15T20:59:30Z', 'not in quiet hours'],
    [
      ...['Europe/London', '02:00', '01:30', '2027-03-28T12:00:00Z', '2027-03-27T01:59:00Z'],
      'the clocks skip the half hour between the quiet hours of two days',
    ] as [string, string, string, string, string, string],
    [
      'Antarctica/Troll',
      '02:01',
      '02:00',
      '2027-10-31T12:00:00Z',
      '2027-10-30T00:00:00Z',
      'the clocks repeat the break',
    ],
    ['Europe/London', '02:00', '01:30', '2027-03-29T00:15:00Z', '2027-03-27T01:59:00Z', 'after the second midnight'],
    [
      'Africa/Cairo',
      '23:01',
      '23:00',
      '2027-10-28T22:00:00Z',
      '2027-10-27T20:00:00Z',
      'the clocks repeat 23:00 to 24:00',
    ],
  ])('%s %s-%s at %s: %s (%s)', (timeZone, from, to, at, expected) => {
    const minute = computeLastMinuteBeforeQuietHours(Temporal.Instant.from(at), { from, to }, timeZone);
    expect(minute.toString()).toBe(expected);
  });

  it('is not in quiet hours, and the next minute is', () => {
    fc.assert(
      fc.property(moment, fc.oneof(quietHours, almostAlwaysQuiet), ({ zone, instant }, quiet) => {
        const minute = computeLastMinuteBeforeQuietHours(instant, quiet, zone);
        expect(findQuietHoursEnd(minute, quiet, zone)).toBeNull();
        if (findQuietHoursEnd(instant, quiet, zone) === null) expect(minute.equals(instant)).toBe(true);
        else expect(findQuietHoursEnd(minute.add({ minutes: 1 }), quiet, zone)).not.toBeNull();
      }),
      { numRuns: 2_000 },
    );
  });
});

it('settings that were not read have no quiet hours and a valid time zone', () => {
  expect(UNREAD_TIME_SETTINGS.quietHours).toBeNull();
  expect(Intl.DateTimeFormat('en', { timeZone: UNREAD_TIME_SETTINGS.timeZone }).resolvedOptions().timeZone).toBe('UTC');
});
