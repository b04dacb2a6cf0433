import type { Session } from './session.entity.js';

/*
 * What comes before and after a Session in its series, as it is lived: by the start, as a Session that was moved
 * on its own may stand elsewhere than its place says. Cancelled ones do not count.
 */

export function findNextSession(session: Session, members: readonly Session[]): Session | undefined {
  return members
    .filter((member) => isNotCancelled(member) && compareByStart(session, member) < 0)
    .toSorted(compareByStart)[0];
}

export function findPreviousSession(session: Session, members: readonly Session[]): Session | undefined {
  return members
    .filter((member) => isNotCancelled(member) && compareByStart(member, session) < 0)
    .toSorted(compareByStart)
    .at(-1);
}

/** The last day whose year has four digits, as every date on the wire has. */
const MAX_DATE = Temporal.PlainDate.from('9999-12-31');

/**
 * Until when the homework of a Session is to be done: the day of the next Session of the series, in the zone of
 * this one; after the last, as if the series went on at its interval. Never after the year 9999.
 */
export function computeHomeworkDueDate(
  session: Session,
  members: readonly Session[],
  intervalDays: number,
): Temporal.PlainDate {
  const due = findNextSessionDate(session, members) ?? session.planned.toPlainDate().add({ days: intervalDays });
  return Temporal.PlainDate.compare(due, MAX_DATE) > 0 ? MAX_DATE : due;
}

/** The day of the next Session of the series, in the zone of this one; null: this is the last. */
export function findNextSessionDate(session: Session, members: readonly Session[]): Temporal.PlainDate | null {
  return findNextSession(session, members)?.startsAt.toZonedDateTimeISO(session.timeZone).toPlainDate() ?? null;
}

function isNotCancelled({ status }: Session): boolean {
  return status !== 'CANCELLED';
}

/** The order of a series: of those that start together, by their places. */
export function compareByStart(a: Session, b: Session): number {
  return Temporal.Instant.compare(a.startsAt, b.startsAt) || a.position - b.position;
}
