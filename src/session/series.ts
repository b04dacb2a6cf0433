/** Where one Session of a series stands: as planned on the wall clock of a zone, and the instant that this is. */
export type SessionSlot = { planned: Temporal.PlainDateTime; timeZone: string; startsAt: Temporal.Instant };

/** Days between two Sessions of one call (decisions, section 1, "Spacing"). */
export const DEFAULT_INTERVAL_DAYS = 7;

/**
 * The slots of a series: `count` Sessions, one every `intervalDays` days, all at the same local time
 * in the zone of the request. A time that a daylight-saving jump skips moves forward by the gap, one
 * that occurs twice is the first; the other members are not touched by that.
 *
 * Source: decisions, section 1, "`date`, `time`" and "Spacing".
 */
export function seriesSlots(
  first: Temporal.PlainDateTime,
  timeZone: string,
  count: number,
  intervalDays = DEFAULT_INTERVAL_DAYS,
): SessionSlot[] {
  return Array.from({ length: count }, (_, index) => {
    const planned = first.add({ days: index * intervalDays });
    return {
      planned,
      timeZone,
      startsAt: planned.toZonedDateTime(timeZone, { disambiguation: 'compatible' }).toInstant(),
    };
  });
}
