/** Hours in which nobody is to be reminded, HH:mm on the recipient's wall clock; `to` may be on the next day. */
export type QuietHours = { from: string; to: string };

/**
 * When the quiet hours end that an instant falls into, or null where it falls into none. A time that a
 * daylight-saving jump skips moves forward by the gap, one that occurs twice is the first as a beginning
 * and the second as an end: nobody is woken in the doubled hour.
 *
 * Source: issue "Reminders that can be trusted", preferences.
 */
export function endOfQuietHours(
  instant: Temporal.Instant,
  quiet: QuietHours,
  timeZone: string,
): Temporal.Instant | null {
  const today = instant.toZonedDateTimeISO(timeZone).toPlainDate();
  // Those that began yesterday may still last.
  for (const day of [today.subtract({ days: 1 }), today]) {
    const { begin, end } = quietHoursFrom(day, quiet, timeZone);
    const isWithin = Temporal.Instant.compare(begin, instant) <= 0 && Temporal.Instant.compare(instant, end) < 0;
    if (isWithin) return end;
  }
  return null;
}

function quietHoursFrom(day: Temporal.PlainDate, { from, to }: QuietHours, timeZone: string) {
  const [first, last] = [Temporal.PlainTime.from(from), Temporal.PlainTime.from(to)];
  const lastDay = Temporal.PlainTime.compare(first, last) < 0 ? day : day.add({ days: 1 });
  return {
    begin: day.toPlainDateTime(first).toZonedDateTime(timeZone, { disambiguation: 'compatible' }).toInstant(),
    end: endOf(lastDay.toPlainDateTime(last), timeZone),
  };
}

function endOf(local: Temporal.PlainDateTime, timeZone: string): Temporal.Instant {
  const earlier = local.toZonedDateTime(timeZone, { disambiguation: 'compatible' });
  const later = local.toZonedDateTime(timeZone, { disambiguation: 'later' });
  return (earlier.toPlainDateTime().equals(local) ? later : earlier).toInstant();
}
