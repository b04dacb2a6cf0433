/** Where one Session of a series stands: as planned on the wall clock of a zone, and the instant that this is. */
export type SessionSlot = { planned: Temporal.PlainDateTime; timeZone: string; startsAt: Temporal.Instant };

/** Days between two Sessions of one call (docs/decisions.md, "Spacing"). */
export const DEFAULT_INTERVAL_DAYS = 7;

/**
 * The slots of a series: `count` Sessions, one every `intervalDays` days, all at the same local time
 * in the zone of the request; the members are not touched by a daylight-saving jump that one of them meets.
 *
 * See docs/decisions.md, "Spacing".
 */
export function createSeriesSlots(
  first: Temporal.PlainDateTime,
  timeZone: string,
  count: number,
  intervalDays = DEFAULT_INTERVAL_DAYS,
): SessionSlot[] {
  return Array.from({ length: count }, (_, index) => createSlot(first.add({ days: index * intervalDays }), timeZone));
}

/**
 * A slot at a local time. A time that a daylight-saving jump skips moves forward by the gap, one that
 * occurs twice is the first.
 *
 * See docs/decisions.md, "`date`, `time`".
 */
export function createSlot(planned: Temporal.PlainDateTime, timeZone: string): SessionSlot {
  const startsAt = planned.toZonedDateTime(timeZone, { disambiguation: 'compatible' }).toInstant();
  return { planned, timeZone, startsAt };
}

/** The first of this time and those whole intervals after it that is still to come. */
export function findFirstUpcomingTime(
  planned: Temporal.PlainDateTime,
  timeZone: string,
  intervalDays: number,
  now: Temporal.Instant,
): Temporal.PlainDateTime {
  const today = now.toZonedDateTimeISO(timeZone).toPlainDate();
  const { days } = planned.toPlainDate().until(today, { largestUnit: 'days' });
  // The last interval that cannot be ahead yet is jumped to; from there it is a step or two.
  let candidate = planned.add({ days: Math.max(0, Math.floor((days - 1) / intervalDays)) * intervalDays });
  while (Temporal.Instant.compare(createSlot(candidate, timeZone).startsAt, now) <= 0)
    candidate = candidate.add({ days: intervalDays });
  return candidate;
}
