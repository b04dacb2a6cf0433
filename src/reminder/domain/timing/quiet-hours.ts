/** Hours in which nobody is to be reminded, HH:mm on the recipient's wall clock; `to` may be on the next day. */
export type QuietHours = { from: string; to: string };

/**
 * When the quiet hours end that an instant falls into, or null where it falls into none. An end that a
 * daylight-saving jump skips moves forward by the gap, a beginning is the jump itself; of a time that occurs
 * twice, the first is the beginning and the second the end: nobody is woken in the doubled hour.
 *
 * See docs/decisions.md, "Planning reminders".
 */
export function endOfQuietHours(
  instant: Temporal.Instant,
  quiet: QuietHours,
  timeZone: string,
): Temporal.Instant | null {
  let until = instant;
  // Those that began yesterday may still last; tomorrow's begin before they end where the clock skips all between.
  for (const { begin, end } of quietHoursAround(instant, quiet, timeZone)) {
    const isWithin = Temporal.Instant.compare(begin, until) <= 0 && Temporal.Instant.compare(until, end) < 0;
    if (isWithin) until = end;
  }
  return until.equals(instant) ? null : until;
}

/**
 * The last minute before the quiet hours that an instant falls into.
 *
 * Source: docs/decisions.md, "Quiet hours around a Session".
 */
export function lastMinuteBefore(instant: Temporal.Instant, quiet: QuietHours, timeZone: string): Temporal.Instant {
  let first = instant;
  // Those of two days are one where the clock skips all between, or leaves less than a minute.
  for (const { begin, end } of quietHoursAround(instant, quiet, timeZone).reverse()) {
    const isWithin = Temporal.Instant.compare(begin, first) <= 0 && Temporal.Instant.compare(first, end) < 0;
    if (isWithin) first = begin.subtract({ minutes: 1 });
  }
  return first;
}

function quietHoursAround(instant: Temporal.Instant, quiet: QuietHours, timeZone: string) {
  const today = instant.toZonedDateTimeISO(timeZone).toPlainDate();
  const days = [today.subtract({ days: 1 }), today, today.add({ days: 1 })];
  return days.map((day) => quietHoursFrom(day, quiet, timeZone));
}

function quietHoursFrom(day: Temporal.PlainDate, { from, to }: QuietHours, timeZone: string) {
  const [first, last] = [Temporal.PlainTime.from(from), Temporal.PlainTime.from(to)];
  const lastDay = Temporal.PlainTime.compare(first, last) < 0 ? day : day.add({ days: 1 });
  return {
    begin: beginOf(day.toPlainDateTime(first), timeZone),
    end: endOf(lastDay.toPlainDateTime(last), timeZone),
  };
}

function beginOf(local: Temporal.PlainDateTime, timeZone: string): Temporal.Instant {
  const begin = local.toZonedDateTime(timeZone, { disambiguation: 'earlier' });
  const isSkipped = !begin.toPlainDateTime().equals(local);
  return ((isSkipped && begin.getTimeZoneTransition('next')) || begin).toInstant();
}

function endOf(local: Temporal.PlainDateTime, timeZone: string): Temporal.Instant {
  const earlier = local.toZonedDateTime(timeZone, { disambiguation: 'compatible' });
  const later = local.toZonedDateTime(timeZone, { disambiguation: 'later' });
  return (earlier.toPlainDateTime().equals(local) ? later : earlier).toInstant();
}
