import type { ChangeSession, WeekSession } from '@care-scheduling/client';
import { Temporal } from 'temporal-polyfill';

/* Converts the local times of a Session between the board, the form and the request. */

export const CHANGE_SCOPES = ['this', 'following', 'series'] as const;
export type ChangeScope = (typeof CHANGE_SCOPES)[number];

/** The form values of a move, in the Session's own time zone. */
export type MoveDraft = {
  /** Format `yyyy-MM-dd`. */
  date: string;
  /** Format `HH:mm`. */
  time: string;
  durationMinutes: string;
  scope: ChangeScope;
};

type Times = Pick<WeekSession, 'localStart' | 'localEnd' | 'durationMinutes'>;

/**
 * Returns the local times at which the board shows a Session, `yyyy-MM-ddTHH:mm`. If the clocks go back during the
 * Session, its local end may not be after its local start; the end is then computed from the duration.
 */
export function toBoardTimeRange({ localStart, localEnd, durationMinutes }: Times): { start: string; end: string } {
  const [start, end] = [toLocal(localStart), toLocal(localEnd)];
  return start < end ? { start, end } : { start, end: addMinutes(start, durationMinutes) };
}

/**
 * Returns the hours that the board shows: 8 to 18, or more if Sessions require it. A Session across midnight requires
 * the whole day.
 */
export function findVisibleHours(ranges: readonly { start: string; end: string }[]): { first: number; last: number } {
  const isOverMidnight = ranges.some(({ start, end }) => start.slice(0, 10) !== end.slice(0, 10));
  if (isOverMidnight) return { first: 0, last: 24 };
  const starts = ranges.map(({ start }) => Number(start.slice(11, 13)));
  const ends = ranges.map(({ end }) => Math.ceil(Number(end.slice(11, 13)) + Number(end.slice(14, 16)) / 60));
  return { first: Math.min(8, ...starts), last: Math.max(18, ...ends) };
}

export function toMoveDraft({ date, time, durationMinutes }: WeekSession): MoveDraft {
  return { date: date.replaceAll('/', '-'), time, durationMinutes: String(durationMinutes), scope: 'this' };
}

/**
 * Returns the draft for a Session whose body was dragged on the board.
 *
 * @param local the new start, `yyyy-MM-ddTHH:mm` in the time zone of the week
 */
export function toDraftAfterMove(session: WeekSession, local: string, weekZone: string): MoveDraft {
  const own = Temporal.PlainDateTime.from(local)
    .toZonedDateTime(weekZone)
    .withTimeZone(session.timeZone)
    .toPlainDateTime();
  return { ...toMoveDraft(session), date: own.toPlainDate().toString(), time: own.toString().slice(11, 16) };
}

/** Returns the draft for a Session whose end was dragged. */
export function toDraftAfterResize(session: WeekSession, minutesLonger: number): MoveDraft {
  return { ...toMoveDraft(session), durationMinutes: String(Math.max(1, session.durationMinutes + minutesLonger)) };
}

/** Returns the fields that the draft changes. Only these fields are sent. */
export function findChangedSessionFields(
  session: WeekSession,
  { date, time, durationMinutes }: MoveDraft,
): ChangeSession {
  const before = toMoveDraft(session);
  return {
    ...(date !== before.date && { date: date.replaceAll('-', '/') }),
    ...(time !== before.time && { time }),
    ...(durationMinutes !== before.durationMinutes && { durationMinutes: Number(durationMinutes) }),
  };
}

/** Whether the draft can be sent: all values are valid, and at least one has changed. */
export function canSendMove(session: WeekSession, draft: MoveDraft): boolean {
  const { date, time, durationMinutes } = draft;
  const isFilled = date !== '' && time !== '' && /^\d{1,4}$/.test(durationMinutes) && Number(durationMinutes) > 0;
  return isFilled && Object.keys(findChangedSessionFields(session, draft)).length > 0;
}

/** The part of a saved Session on which a move is based. */
export type SavedSession = Pick<WeekSession, 'version' | 'date' | 'time' | 'timeZone' | 'durationMinutes'>;

/** Returns the Session with the version and the times that are saved now. A draft is then compared with these. */
export function adoptSavedTimes(session: WeekSession, saved: SavedSession): WeekSession {
  const { version, date, time, timeZone, durationMinutes } = saved;
  return { ...session, version, date, time, timeZone, durationMinutes };
}

/** Returns the Session as it will be after the move. The board shows it until the service has responded. */
export function applyMoveDraft(session: WeekSession, draft: MoveDraft, weekZone: string): WeekSession {
  const { date, time, durationMinutes } = draft;
  const start = Temporal.PlainDateTime.from(`${date}T${time}`).toZonedDateTime(session.timeZone);
  const end = start.add({ minutes: Number(durationMinutes) });
  return {
    ...session,
    ...{ date: date.replaceAll('-', '/'), time, durationMinutes: Number(durationMinutes) },
    startsAt: start.toInstant().toString({ smallestUnit: 'millisecond' }),
    endsAt: end.toInstant().toString({ smallestUnit: 'millisecond' }),
    localStart: toLocalTime(start, weekZone),
    localEnd: toLocalTime(end, weekZone),
  };
}

/** Converts an instant to local time, `yyyy-MM-ddTHH:mm`, at which the board draws the line for the current time. */
export function toWallClock(instant: string, zone: string): string {
  return Temporal.Instant.from(instant).toZonedDateTimeISO(zone).toPlainDateTime().toString().slice(0, 16);
}

function toLocalTime(at: Temporal.ZonedDateTime, zone: string): WeekSession['localStart'] {
  const local = at.withTimeZone(zone);
  const text = local.toPlainDateTime().toString();
  return { date: text.slice(0, 10).replaceAll('-', '/'), time: text.slice(11, 16), utcOffset: local.offset };
}

function toLocal({ date, time }: WeekSession['localStart']): string {
  return `${date.replaceAll('/', '-')}T${time}`;
}

function addMinutes(local: string, minutes: number): string {
  return Temporal.PlainDateTime.from(local).add({ minutes }).toString().slice(0, 16);
}
