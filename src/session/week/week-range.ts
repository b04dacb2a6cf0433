import { InvalidRequestError } from '../../shared/errors/index.js';
import { isStorableInstant } from '../../shared/persistence/index.js';

const DAYS = 7;

/**
 * Seven days in a time zone, from one local midnight to another. If the clocks change, one of the days is longer or
 * shorter than 24 hours.
 */
export type WeekRange = {
  timeZone: string;
  /** The date of each day, and the instant at which the day begins. */
  days: { date: Temporal.PlainDate; startsAt: Temporal.Instant }[];
  startsAt: Temporal.Instant;
  /** The instant at which the week ends. It is not part of the week. */
  endsAt: Temporal.Instant;
};

/**
 * Computes the week that begins on a date. If a clock change skips midnight, the day begins with its first existing
 * instant.
 *
 * @param from the first day; by default, the Monday of the current week in the time zone
 * @throws InvalidRequestError when an instant of the week cannot be stored
 */
export function createWeekRange(
  from: Temporal.PlainDate | undefined,
  timeZone: string,
  now: Temporal.Instant,
): WeekRange {
  const first = from ?? findMonday(now.toZonedDateTimeISO(timeZone).toPlainDate());
  const starts = Array.from({ length: DAYS + 1 }, (_, index) => {
    const date = first.add({ days: index });
    return { date, startsAt: date.toZonedDateTime(timeZone).toInstant() };
  });
  if (!starts.every(({ startsAt }) => isStorableInstant(startsAt))) {
    throw new InvalidRequestError([{ pointer: '/from', detail: 'the week must be in the years 1 to 9999' }]);
  }
  return { timeZone, days: starts.slice(0, DAYS), startsAt: starts[0]!.startsAt, endsAt: starts[DAYS]!.startsAt };
}

function findMonday(date: Temporal.PlainDate): Temporal.PlainDate {
  return date.subtract({ days: date.dayOfWeek - 1 });
}
