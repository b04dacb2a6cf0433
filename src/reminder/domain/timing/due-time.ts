/**
 * When a reminder of `remindDays` is due: that many calendar days after the instant the Session was
 * created, at the same local time in the zone of the request.
 *
 * See docs/decisions.md, "`remindDays`".
 */
export function dueAfterCreation(createdAt: Temporal.Instant, remindDays: number, timeZone: string): Temporal.Instant {
  return createdAt.toZonedDateTimeISO(timeZone).add({ days: remindDays }).toInstant();
}

/**
 * When a reminder relative to the Session's start is due: calendar units count on the wall clock of
 * the Session's zone, clock units are exact.
 *
 * See docs/decisions.md, "`reminders`".
 */
export function dueAroundStart(startsAt: Temporal.Instant, offset: string, timeZone: string): Temporal.Instant {
  return startsAt.toZonedDateTimeISO(timeZone).add(Temporal.Duration.from(offset)).toInstant();
}

/**
 * When a reminder of homework is due: on a day of the plan week, whose first day is that of the
 * Session, at a local time in the zone of the Client.
 *
 * See docs/decisions.md, "Homework reminders".
 */
export function dueInWeek(
  weekStart: Temporal.PlainDate,
  reminderDay: number,
  time: string,
  timeZone: string,
): Temporal.Instant {
  return weekStart
    .add({ days: reminderDay - 1 })
    .toZonedDateTime({ timeZone, plainTime: time })
    .toInstant();
}

const EPOCH = Temporal.PlainDate.from('2000-01-01');
const TEN_YEARS_IN_DAYS = 3660;

/** True for an ISO 8601 duration of at most ten years, in either direction. */
export function isReminderOffset(text: string): boolean {
  try {
    const days = Temporal.Duration.from(text).total({ unit: 'days', relativeTo: EPOCH });
    return Math.abs(days) <= TEN_YEARS_IN_DAYS;
  } catch {
    return false;
  }
}
