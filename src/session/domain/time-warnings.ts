import { formatLocalDateTime } from '../../shared/time/wall-clock.js';
import { getUtcOffset, isFixedOffset } from '../../shared/time/zone.js';
import type { ScheduleWarning } from './schedule-warning.js';
import type { SessionSlot } from './series-slots.js';

/* The simulator of the console runs this file in the browser, so it imports no package and no entity. */

/** The time of a Session, and its place in the series. */
type PlacedSlot = SessionSlot & { position: number };

/** Finds warnings about Session times. @param sessions the Sessions in order of start */
export function findTimeWarnings(sessions: readonly PlacedSlot[]): ScheduleWarning[] {
  return [
    ...findFixedOffsetWarnings(sessions),
    ...sessions.flatMap((session, index) => [
      ...findSkippedTimeWarnings(session),
      ...findOffsetChangeWarnings(session, sessions[index - 1]),
    ]),
  ];
}

/** Returns one warning for each fixed UTC offset at which Sessions are planned. */
export function findFixedOffsetWarnings(sessions: readonly Pick<SessionSlot, 'timeZone'>[]): ScheduleWarning[] {
  const offsets = new Set(sessions.map(({ timeZone }) => timeZone).filter(isFixedOffset));
  return [...offsets].map((offset) => ({
    kind: 'FIXED_OFFSET',
    detail:
      `The Sessions are planned at the fixed offset ${offset}, which differs from the Clinic's time zone: ` +
      'their local time in the Clinic changes with daylight saving time.',
  }));
}

/** Warns about a planned time that does not exist, because the clock skips it. */
export function findSkippedTimeWarnings({ position, planned, startsAt, timeZone }: PlacedSlot): ScheduleWarning[] {
  const local = startsAt.toZonedDateTimeISO(timeZone).toPlainDateTime();
  if (local.equals(planned)) return [];
  const detail = `The clock skips ${formatTime(planned)} that day: the Session is at ${formatTime(local)}.`;
  return [{ kind: 'TIME_SKIPPED', position, detail }];
}

function findOffsetChangeWarnings(session: PlacedSlot, previous: PlacedSlot | undefined): ScheduleWarning[] {
  if (previous?.timeZone !== session.timeZone) return [];
  const [previousOffset, offset] = [
    getUtcOffset(previous.startsAt, previous.timeZone),
    getUtcOffset(session.startsAt, session.timeZone),
  ];
  if (previousOffset === offset) return [];
  const detail =
    `The UTC offset of ${session.timeZone} changes from ${previousOffset} to ${offset} since the Session before: ` +
    'the local time stays, for people in other zones it is another.';
  return [{ kind: 'DAYLIGHT_SAVING_SHIFT', position: session.position, detail }];
}

function formatTime(local: Temporal.PlainDateTime): string {
  return formatLocalDateTime(local).time;
}
