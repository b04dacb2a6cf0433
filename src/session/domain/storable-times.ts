import { ConflictError, InvalidRequestError } from '../../shared/errors/index.js';
import { isStorableInstant } from '../../shared/persistence/index.js';

type Times = {
  planned: Temporal.PlainDateTime;
  timeZone: string;
  startsAt: Temporal.Instant;
  endsAt: Temporal.Instant;
};

/**
 * Asserts that Sessions start and end in the years 1 to 9999, in UTC and in their own time zone.
 *
 * @param pointer JSON pointer to the request field that determines the times; undefined if there is no such field
 * @throws InvalidRequestError when a time is out of range and a pointer is given
 * @throws ConflictError when a time is out of range and no pointer is given
 */
export function assertStorableTimes(sessions: readonly Times[], pointer: string | undefined): void {
  if (sessions.every(isInRange)) return;
  if (pointer === undefined) throw new ConflictError('A Session of the series would not be in the years 1 to 9999.');
  throw new InvalidRequestError([{ pointer, detail: 'every Session must be in the years 1 to 9999' }]);
}

function isInRange({ planned: { year }, timeZone, startsAt, endsAt }: Times): boolean {
  if (year < 1 || year > 9_999 || !isStorableInstant(startsAt) || !isStorableInstant(endsAt)) return false;
  // East of UTC, the last Sessions of the year 9999 end in a year that calendars and weeks cannot write.
  return year < 9_999 || endsAt.toZonedDateTimeISO(timeZone).year === year;
}
