import { toLocalDate } from '../../shared/time/index.js';
import type { SessionStatus } from './session-status.js';

/*
 * Sessions in a series are ordered by start rather than by position, because a Session that was rescheduled
 * individually may no longer start between its neighbours. Cancelled Sessions are skipped.
 */

/** The Session fields from which order and dates are computed. */
type SeriesMember = {
  status: SessionStatus;
  position: number;
  startsAt: Temporal.Instant;
  timeZone: string;
  planned: Temporal.PlainDateTime;
};

/** Returns the next Session that is not cancelled, on whose date the homework of the given Session is due. */
export function findNextSession<T extends SeriesMember>(session: SeriesMember, members: readonly T[]): T | undefined {
  return members
    .filter((member) => isNotCancelled(member) && compareByStart(session, member) < 0)
    .toSorted(compareByStart)[0];
}

export function findPreviousSession<T extends SeriesMember>(
  session: SeriesMember,
  members: readonly T[],
): T | undefined {
  return members
    .filter((member) => isNotCancelled(member) && compareByStart(member, session) < 0)
    .toSorted(compareByStart)
    .at(-1);
}

/** The last date that the wire format can represent, because its years have four digits. */
const MAX_DATE = Temporal.PlainDate.from('9999-12-31');

/**
 * Computes the due date of homework: the date of the next Session in the series, in the time zone of the given Session.
 * Homework from the last Session is due one interval later. The due date is at most 9999-12-31.
 */
export function computeHomeworkDueDate(
  session: SeriesMember,
  members: readonly SeriesMember[],
  intervalDays: number,
): Temporal.PlainDate {
  const due = findNextSessionDate(session, members) ?? session.planned.toPlainDate().add({ days: intervalDays });
  return Temporal.PlainDate.compare(due, MAX_DATE) > 0 ? MAX_DATE : due;
}

/** Returns the date of the next Session in the given Session's time zone, or null if there is no next Session. */
export function findNextSessionDate(
  session: SeriesMember,
  members: readonly SeriesMember[],
): Temporal.PlainDate | null {
  const next = findNextSession(session, members);
  return next === undefined ? null : toLocalDate(next.startsAt, session.timeZone);
}

function isNotCancelled({ status }: SeriesMember): boolean {
  return status !== 'CANCELLED';
}

/** Compares Sessions by start, then by position. */
export function compareByStart(
  a: Pick<SeriesMember, 'startsAt' | 'position'>,
  b: Pick<SeriesMember, 'startsAt' | 'position'>,
): number {
  return a.startsAt.epochMilliseconds - b.startsAt.epochMilliseconds || a.position - b.position;
}
