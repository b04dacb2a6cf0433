/** The hours without reminders, as HH:mm on the recipient's wall clock. `to` may be on the next day. */
export type QuietHours = { from: string; to: string };

/** The recipient settings that affect when reminders are sent. */
export type RecipientTimeSettings = { quietHours: QuietHours | null; timeZone: string };

/**
 * The longest time that quiet hours can last without a break, and so the bound by which they defer or advance a
 * reminder. If a clock change covers the break between the quiet hours of two days, they form one period of two days, to
 * which clocks that go back add at most two hours (Antarctica/Troll).
 */
export const MAX_QUIET_PERIOD = Temporal.Duration.from({ hours: 50 });

/**
 * Stands for settings that were not read, and is recognised by its identity: there are no quiet hours, and homework
 * reminders keep their time zone.
 */
export const UNREAD_TIME_SETTINGS: RecipientTimeSettings = Object.freeze({ quietHours: null, timeZone: 'UTC' });

type QuietPeriod = { start: Temporal.Instant; end: Temporal.Instant };

/**
 * The end of the quiet hours that contain an instant, or null if the instant is not in quiet hours. If a
 * daylight-saving change skips the local end, the end moves forward by the gap; if it skips the local start, the start
 * is the change itself. If a local time occurs twice, quiet hours start at the first occurrence and end at the second.
 *
 * Source: docs/decisions.md, "Planning reminders".
 */
export function findQuietHoursEnd(
  instant: Temporal.Instant,
  quietHours: QuietHours,
  timeZone: string,
): Temporal.Instant | null {
  let end = instant;
  // Yesterday's quiet hours may still be in effect, and a clock change can skip the time between them and today's.
  for (const period of computeQuietPeriods(instant, [-1, 0, 1], quietHours, timeZone)) {
    if (isWithin(end, period)) end = period.end;
  }
  return end.equals(instant) ? null : end;
}

/** The latest end of quiet hours at or before an instant. */
export function findLastQuietHoursEnd(
  instant: Temporal.Instant,
  quietHours: QuietHours,
  timeZone: string,
): Temporal.Instant | null {
  // The quiet hours of two days can form one period, and then the previous ones began three days before.
  const periods = computeQuietPeriods(instant, [0, -1, -2, -3], quietHours, timeZone);
  // A clock change can skip the quiet hours of a day.
  const ends = periods.filter(isNotEmpty).map(({ end }) => end);
  const isEnd = (end: Temporal.Instant) => findQuietHoursEnd(end, quietHours, timeZone) === null;
  return ends.find((end) => Temporal.Instant.compare(end, instant) <= 0 && isEnd(end)) ?? null;
}

/**
 * The last minute before the quiet hours that contain an instant.
 *
 * Source: docs/decisions.md, "Quiet hours around a Session".
 */
export function computeLastMinuteBeforeQuietHours(
  instant: Temporal.Instant,
  quietHours: QuietHours,
  timeZone: string,
): Temporal.Instant {
  let minute = instant;
  // The quiet hours of two days form one period if they are less than a minute apart, for example after a clock change.
  // After midnight, these are the two days before.
  for (const period of computeQuietPeriods(instant, [0, -1, -2], quietHours, timeZone)) {
    if (isWithin(minute, period)) minute = period.start.subtract({ minutes: 1 });
  }
  return minute;
}

function isNotEmpty({ start, end }: QuietPeriod): boolean {
  return Temporal.Instant.compare(start, end) < 0;
}

function isWithin(instant: Temporal.Instant, { start, end }: QuietPeriod): boolean {
  return Temporal.Instant.compare(start, instant) <= 0 && Temporal.Instant.compare(instant, end) < 0;
}

/** Returns the quiet periods that begin on the given days, which are counted from the day of the instant. */
function computeQuietPeriods(
  instant: Temporal.Instant,
  days: readonly number[],
  quietHours: QuietHours,
  timeZone: string,
): QuietPeriod[] {
  const today = instant.toZonedDateTimeISO(timeZone).toPlainDate();
  return days.map((day) => toQuietPeriod(today.add({ days: day }), quietHours, timeZone));
}

function toQuietPeriod(day: Temporal.PlainDate, { from, to }: QuietHours, timeZone: string): QuietPeriod {
  const [startTime, endTime] = [Temporal.PlainTime.from(from), Temporal.PlainTime.from(to)];
  const endDay = Temporal.PlainTime.compare(startTime, endTime) < 0 ? day : day.add({ days: 1 });
  return {
    start: toPeriodStart(day.toPlainDateTime(startTime), timeZone),
    end: toPeriodEnd(endDay.toPlainDateTime(endTime), timeZone),
  };
}

function toPeriodStart(local: Temporal.PlainDateTime, timeZone: string): Temporal.Instant {
  const start = local.toZonedDateTime(timeZone, { disambiguation: 'earlier' });
  const isSkipped = !start.toPlainDateTime().equals(local);
  return ((isSkipped && start.getTimeZoneTransition('next')) || start).toInstant();
}

function toPeriodEnd(local: Temporal.PlainDateTime, timeZone: string): Temporal.Instant {
  const earlier = local.toZonedDateTime(timeZone, { disambiguation: 'compatible' });
  const later = local.toZonedDateTime(timeZone, { disambiguation: 'later' });
  return (earlier.toPlainDateTime().equals(local) ? later : earlier).toInstant();
}
