/**
 * Computes the due time of a `remindDays` reminder: `remindDays` calendar days after the Session was created, at the
 * same local time in the given time zone. Source: docs/decisions.md, "`remindDays`".
 */
export function computeDueAfterCreation(
  createdAt: Temporal.Instant,
  remindDays: number,
  timeZone: string,
): Temporal.Instant {
  return createdAt.toZonedDateTimeISO(timeZone).add({ days: remindDays }).toInstant();
}

/**
 * Computes the due time of a reminder relative to the start of the Session. Calendar units follow the wall clock in the
 * Session's time zone; clock units are exact. Source: docs/decisions.md, "`reminders`".
 *
 * @param offset an ISO 8601 duration, for example `-P1D`
 */
export function computeDueAroundStart(startsAt: Temporal.Instant, offset: string, timeZone: string): Temporal.Instant {
  return startsAt.toZonedDateTimeISO(timeZone).add(Temporal.Duration.from(offset)).toInstant();
}

/**
 * Computes the due time of a homework reminder: a local time on a day of the plan week, in the Client's time zone.
 * Source: docs/decisions.md, "Homework reminders".
 *
 * @param weekStart the day of the Session, which is day 1
 * @param time HH:mm
 */
export function computeHomeworkReminderDue(
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

/** Reference date for comparing durations, because years and months vary in length. */
const REFERENCE_DATE = Temporal.PlainDate.from('2000-01-01');
/** Maximum offset: ten years, rounded up to whole days. */
const MAX_OFFSET_DAYS = 3660;

/** Whether a string is an ISO 8601 duration of at most ten years, positive or negative. */
export function isReminderOffset(text: string): boolean {
  try {
    const days = Temporal.Duration.from(text).total({ unit: 'days', relativeTo: REFERENCE_DATE });
    return Math.abs(days) <= MAX_OFFSET_DAYS;
  } catch {
    return false;
  }
}
