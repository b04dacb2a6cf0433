/** The time of one Session: its local date and time, its time zone, and the resulting instant. */
export type SessionSlot = { planned: Temporal.PlainDateTime; timeZone: string; startsAt: Temporal.Instant };

/** Default number of days between two Sessions of a series (docs/decisions.md, "Spacing"). */
export const DEFAULT_INTERVAL_DAYS = 7;

/**
 * Creates slots for `count` Sessions, one every `intervalDays` days, all at the same local time. A daylight-saving gap
 * that moves one Session does not affect the others (docs/decisions.md, "Spacing").
 */
export function createSeriesSlots(
  first: Temporal.PlainDateTime,
  timeZone: string,
  count: number,
  intervalDays = DEFAULT_INTERVAL_DAYS,
): SessionSlot[] {
  return Array.from({ length: count }, (_, index) =>
    createSessionSlot(first.add({ days: index * intervalDays }), timeZone),
  );
}

/**
 * Creates a slot from a local time. A time within a daylight-saving gap moves forward by the length of the gap. If a
 * time occurs twice, the first occurrence is used (docs/decisions.md, "`date`, `time`").
 */
export function createSessionSlot(planned: Temporal.PlainDateTime, timeZone: string): SessionSlot {
  const startsAt = planned.toZonedDateTime(timeZone, { disambiguation: 'compatible' }).toInstant();
  return { planned, timeZone, startsAt };
}

/** Returns the first time after `now` among `planned` and the times that follow it at whole intervals. */
export function computeFirstUpcomingTime(
  planned: Temporal.PlainDateTime,
  timeZone: string,
  intervalDays: number,
  now: Temporal.Instant,
): Temporal.PlainDateTime {
  const today = now.toZonedDateTimeISO(timeZone).toPlainDate();
  const { days } = planned.toPlainDate().until(today, { largestUnit: 'days' });
  // Skips intervals that are certainly in the past, so that the loop runs only a few times.
  let candidate = planned.add({ days: Math.max(0, Math.floor((days - 1) / intervalDays)) * intervalDays });
  while (Temporal.Instant.compare(createSessionSlot(candidate, timeZone).startsAt, now) <= 0)
    candidate = candidate.add({ days: intervalDays });
  return candidate;
}
