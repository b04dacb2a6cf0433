import fc from 'fast-check';
import { isPastWhenPlanned, planSendTime } from './send-time.js';
import { findQuietHoursEnd, type QuietHours } from './quiet-hours.js';

const NIGHT: QuietHours = { from: '21:00', to: '08:00' };
const LUNCH: QuietHours = { from: '12:00', to: '13:30' };
const LONDON = 'Europe/London';

type Case = [
  why: string,
  zone: string,
  quiet: QuietHours,
  due: string,
  start: string | null,
  now: string,
  expected: string,
];

/**
 * If `start` is null, the start of the Session does not limit the reminder. `expected` is `=` (on time), `>` (deferred)
 * or `<` (advanced) with the send time, or the skip reason. In 2027, London clocks go forward on 28 March and back on
 * 31 October, both at 01:00 UTC. Los Angeles clocks go forward on 14 March at 10:00 UTC. Lord Howe clocks go forward by
 * half an hour on 2 October at 15:30 UTC. The instants were computed by hand.
 */
// prettier-ignore
const CASES: Case[] = [
  ['outside the quiet hours', LONDON, NIGHT, '2027-01-15T20:59:00Z', '2027-01-16T09:00:00Z', '2027-01-10T00:00:00Z', '= 2027-01-15T20:59:00Z'],
  ['a day before a Session at noon: at their end', LONDON, NIGHT, '2027-01-15T23:00:00Z', '2027-01-16T12:00:00Z', '2027-01-10T00:00:00Z', '> 2027-01-16T08:00:00Z'],
  ['their end is 30 minutes before the start', LONDON, NIGHT, '2027-01-16T07:30:00Z', '2027-01-16T08:30:00Z', '2027-01-10T00:00:00Z', '> 2027-01-16T08:00:00Z'],
  ['their end is 29 minutes before the start', LONDON, NIGHT, '2027-01-16T07:29:00Z', '2027-01-16T08:29:00Z', '2027-01-10T00:00:00Z', '< 2027-01-15T20:59:00Z'],
  ['an hour before a Session at 07:00', LONDON, NIGHT, '2027-01-16T06:00:00Z', '2027-01-16T07:00:00Z', '2027-01-10T00:00:00Z', '< 2027-01-15T20:59:00Z'],
  ['an hour before a Session at their end', LONDON, NIGHT, '2027-01-16T07:00:00Z', '2027-01-16T08:00:00Z', '2027-01-10T00:00:00Z', '< 2027-01-15T20:59:00Z'],
  ['due in the first quiet minute', LONDON, NIGHT, '2027-01-15T21:00:00Z', '2027-01-15T22:00:00Z', '2027-01-10T00:00:00Z', '< 2027-01-15T20:59:00Z'],
  ['planned in the last minute before them', LONDON, NIGHT, '2027-01-16T06:00:00Z', '2027-01-16T07:00:00Z', '2027-01-15T20:59:59Z', '< 2027-01-15T20:59:00Z'],
  ['planned when that minute is past, the Session begins before their end', LONDON, NIGHT, '2027-01-16T06:00:00Z', '2027-01-16T07:00:00Z', '2027-01-15T21:00:00Z', 'QUIET_HOURS'],
  ['planned when that minute is past, the Session begins after their end', LONDON, NIGHT, '2027-01-16T07:20:00Z', '2027-01-16T08:20:00Z', '2027-01-15T21:00:00Z', '> 2027-01-16T08:00:00Z'],
  ['planned when that minute is past, the Session begins at their end', LONDON, NIGHT, '2027-01-16T07:00:00Z', '2027-01-16T08:00:00Z', '2027-01-15T23:00:00Z', 'QUIET_HOURS'],
  ['of one day, around noon in summer', LONDON, LUNCH, '2027-07-15T11:45:00Z', '2027-07-15T12:45:00Z', '2027-07-01T00:00:00Z', '< 2027-07-15T10:59:00Z'],
  ['after the start: at their end', LONDON, NIGHT, '2027-01-16T00:00:00Z', null, '2027-01-10T00:00:00Z', '> 2027-01-16T08:00:00Z'],
  ['in the night in which the clocks go forward', LONDON, NIGHT, '2027-03-28T06:00:00Z', '2027-03-28T07:20:00Z', '2027-03-01T00:00:00Z', '< 2027-03-27T20:59:00Z'],
  ['in that night: 30 minutes before the start in summer time', LONDON, NIGHT, '2027-03-27T22:00:00Z', '2027-03-28T07:30:00Z', '2027-03-01T00:00:00Z', '> 2027-03-28T07:00:00Z'],
  ['in the night in which the clocks go back', LONDON, NIGHT, '2027-10-31T07:00:00Z', '2027-10-31T08:15:00Z', '2027-10-01T00:00:00Z', '< 2027-10-30T19:59:00Z'],
  ['they begin in the hour that the clocks repeat: before the first of the two', LONDON, { from: '01:30', to: '08:00' }, '2027-10-31T01:10:00Z', '2027-10-31T02:10:00Z', '2027-10-01T00:00:00Z', '< 2027-10-31T00:29:00Z'],
  ['they begin in the hour that the clocks skip: before the jump', LONDON, { from: '01:30', to: '08:00' }, '2027-03-28T05:00:00Z', '2027-03-28T06:00:00Z', '2027-03-01T00:00:00Z', '< 2027-03-28T00:59:00Z'],
  ['in the zone of the recipient, an hour before the clocks go forward there', 'America/Los_Angeles', NIGHT, '2027-03-14T09:00:00Z', '2027-03-14T15:10:00Z', '2027-03-01T00:00:00Z', '< 2027-03-14T04:59:00Z'],
  ['a clock change of half an hour', 'Australia/Lord_Howe', NIGHT, '2027-10-02T20:00:00Z', '2027-10-02T21:20:00Z', '2027-09-01T00:00:00Z', '< 2027-10-02T10:29:00Z'],
];

const instant = (text: string) => Temporal.Instant.from(text);

it.each(CASES)('quiet hours around a Session: %s', (_, timeZone, quietHours, due, start, now, expected) => {
  const times = { dueAt: instant(due), notAfter: start === null ? null : instant(start) };
  const planned = planSendTime(times, { quietHours, timeZone }, instant(now));
  const sign = { DEFERRED: '>', ADVANCED: '<', none: '=' };
  const told =
    planned.action === 'SKIP' ? planned.reason : `${sign[planned.adjustment ?? 'none']} ${planned.sendAt.toString()}`;
  expect(told).toBe(expected);
});

it('the table has 20 cases', () => {
  expect(CASES).toHaveLength(20);
});

it('is never in quiet hours, and is deferred or skipped only as the rules allow', () => {
  const minute = fc.integer({ min: 0, max: 1_439 });
  const time = (minutes: number) => Temporal.PlainTime.from('00:00').add({ minutes }).toString().slice(0, 5);
  const quiets = fc
    .tuple(minute, minute)
    .filter(([from, to]) => from !== to)
    .map(([from, to]): QuietHours => ({ from: time(from), to: time(to) }));
  const zones = fc.constantFrom(LONDON, 'America/St_Johns', 'Australia/Lord_Howe', 'Asia/Kathmandu');
  // Instants in 2027, a year with clock changes in these zones.
  const starts = fc
    .integer({ min: 0, max: 365 * 24 * 4 })
    .map((n) => instant('2027-01-01T00:00:00Z').add({ minutes: n * 15 }));
  const before = fc.integer({ min: 1, max: 2 * 1_440 });
  fc.assert(
    fc.property(quiets, zones, starts, before, before, (quietHours, timeZone, start, lead, ahead) => {
      const dueAt = start.subtract({ minutes: lead });
      const now = dueAt.subtract({ minutes: ahead });
      const planned = planSendTime({ dueAt, notAfter: start }, { quietHours, timeZone }, now);
      const end = findQuietHoursEnd(dueAt, quietHours, timeZone);
      if (planned.action === 'SKIP') {
        expect(Temporal.Instant.compare(end!, start)).toBeGreaterThanOrEqual(0);
        return;
      }
      expect(findQuietHoursEnd(planned.sendAt, quietHours, timeZone)).toBeNull();
      expect(Temporal.Instant.compare(planned.sendAt, start)).toBe(-1);
      if (planned.adjustment === undefined) expect(planned.sendAt.equals(dueAt)).toBe(true);
      if (planned.adjustment === 'ADVANCED') expect(planned.sendAt.until(start).total('minutes')).toBeGreaterThan(lead);
      if (planned.adjustment === 'DEFERRED' && planned.sendAt.until(start).total('minutes') < 30)
        // This close to the start, a reminder is deferred only if the last minute before the quiet hours had already
        // passed.
        expect(findQuietHoursEnd(now, quietHours, timeZone)?.equals(end!)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

it.each([
  ['due now', '2027-01-15T10:00:00Z', null, false],
  ['due 15 minutes ago', '2027-01-15T09:45:00Z', null, false],
  ['due longer ago', '2027-01-15T09:44:59Z', null, true],
  ['due before a Session that begins now', '2027-01-15T09:59:00Z', '2027-01-15T10:00:00Z', true],
  ['due before a Session that begins soon', '2027-01-15T09:59:00Z', '2027-01-15T10:00:01Z', false],
])('planned at 10:00 and %s: whether it is past', (_, due, start, expected) => {
  const times = { dueAt: instant(due), notAfter: start === null ? null : instant(start) };
  expect(isPastWhenPlanned(times, instant('2027-01-15T10:00:00Z'))).toBe(expected);
});
