import { isFixedOffset, parseClockTime, parseSlashDate, resolveRequestZone } from '../../shared/time/index.js';
import type { ChangeSession } from './dto/session-changes.js';
import type { Session } from '../domain/session.entity.js';
import type { ScheduleWarning } from '../domain/schedule-warning.js';

/** When, and with which `offset` header, a request moves a Session; `clinicZone` goes with the header. */
type RequestContext = { offset: string | undefined; clinicZone: string | undefined; now: Temporal.Instant };

/**
 * Where a request puts a Session, on the wall clock of the Session's zone. With an `offset` header the request stands in
 * the zone of the Session or of the Clinic, where the offset agrees with it, else at the fixed offset.
 */
export function computeRequestedTime(
  session: Pick<Session, 'planned' | 'startsAt' | 'timeZone'>,
  { date, time }: ChangeSession,
  { offset, clinicZone, now }: RequestContext,
): { to: Temporal.PlainDateTime; warnings: ScheduleWarning[] } {
  const { planned, startsAt, timeZone } = session;
  if (date === undefined && time === undefined) return { to: planned, warnings: [] };
  /** What the request does not say stays, as the zone shows it. */
  const askedIn = (zone: string) => {
    const shown = zone === timeZone ? planned : startsAt.toZonedDateTimeISO(zone).toPlainDateTime();
    const day = date === undefined ? shown.toPlainDate() : parseSlashDate(date)!;
    return day.toPlainDateTime(time === undefined ? shown.toPlainTime() : parseClockTime(time));
  };
  const zones = clinicZone === undefined ? [timeZone] : [timeZone, clinicZone];
  const agreed = zones.find((zone) => resolveRequestZone(offset, zone, askedIn(zone), now) === zone);
  const stands = agreed ?? offset ?? timeZone;
  const to = stands === timeZone ? askedIn(stands) : convertZone(askedIn(stands), stands, timeZone);
  return { to, warnings: stands !== timeZone && isFixedOffset(stands) ? [fixedOffsetWarning(stands)] : [] };
}

function convertZone(moment: Temporal.PlainDateTime, from: string, to: string): Temporal.PlainDateTime {
  return moment.toZonedDateTime(from).withTimeZone(to).toPlainDateTime();
}

function fixedOffsetWarning(offset: string): ScheduleWarning {
  const detail =
    `Date and time were read at the fixed offset ${offset}, which is not that of the Clinic's time zone: ` +
    'the Session stays in its own zone.';
  return { kind: 'FIXED_OFFSET', detail };
}
