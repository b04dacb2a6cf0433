import { InvalidRequestError } from '../../shared/errors/index.js';
import {
  formatLocalDateTime,
  isFixedOffset,
  parseClockTime,
  parseSlashDate,
  resolveRequestZone,
} from '../../shared/time/index.js';
import type { ChangeSession } from './dto/session-changes.js';
import type { Session } from '../domain/session.entity.js';
import type { ScheduleWarning } from '../domain/schedule-warning.js';

/**
 * The `offset` header and the time of a request that reschedules a Session. `clinicZone` is set only if there is an
 * offset.
 */
type RequestContext = { offset: string | undefined; clinicZone: string | undefined; now: Temporal.Instant };

/**
 * Computes the requested local time of a Session, in the Session's time zone. If the request has an `offset` header,
 * its date and time are read in the Session's zone or, failing that, in the Clinic's zone, but only if the zone matches
 * the offset (see `resolveRequestZone`). If neither zone matches, they are read at the fixed offset.
 *
 * @throws InvalidRequestError when a Session in its time zone cannot be at the requested time
 */
export function computeRequestedTime(
  session: Pick<Session, 'planned' | 'startsAt' | 'timeZone'>,
  { date, time }: ChangeSession,
  { offset, clinicZone, now }: RequestContext,
): { to: Temporal.PlainDateTime; warnings: ScheduleWarning[] } {
  const { planned, startsAt, timeZone } = session;
  if (date === undefined && time === undefined) return { to: planned, warnings: [] };
  /** Returns the requested date and time. An absent field keeps its current value in the given zone. */
  const requestedTimeIn = (zone: string) => {
    const current = zone === timeZone ? planned : startsAt.toZonedDateTimeISO(zone).toPlainDateTime();
    const day = date === undefined ? current.toPlainDate() : parseSlashDate(date)!;
    return day.toPlainDateTime(time === undefined ? current.toPlainTime() : parseClockTime(time));
  };
  const zones = clinicZone === undefined ? [timeZone] : [timeZone, clinicZone];
  const matchingZone = zones.find((zone) => resolveRequestZone(offset, zone, requestedTimeIn(zone), now) === zone);
  const effectiveZone = matchingZone ?? offset ?? timeZone;
  if (effectiveZone === timeZone) return { to: requestedTimeIn(timeZone), warnings: [] };
  const requested = requestedTimeIn(effectiveZone).toZonedDateTime(effectiveZone);
  const to = requested.withTimeZone(timeZone).toPlainDateTime();
  // Of a local time that occurs twice, a Session is always at the first.
  if (to.toZonedDateTime(timeZone).epochNanoseconds !== requested.epochNanoseconds) {
    const local = formatLocalDateTime(to).time;
    const detail = `is the second ${local} of that day, which occurs twice in ${timeZone}; a Session can only be at the first`;
    throw new InvalidRequestError([{ pointer: time === undefined ? '/date' : '/time', detail }]);
  }
  return { to, warnings: isFixedOffset(effectiveZone) ? [fixedOffsetWarning(effectiveZone)] : [] };
}

function fixedOffsetWarning(offset: string): ScheduleWarning {
  const detail =
    `Date and time were read at the fixed offset ${offset}, which differs from the Clinic's time zone. ` +
    'The Session keeps its own time zone.';
  return { kind: 'FIXED_OFFSET', detail };
}
