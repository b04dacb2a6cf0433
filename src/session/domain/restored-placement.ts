import { ConflictError } from '../../shared/errors/index.js';
import { describeLocalDateTime } from '../../shared/time/index.js';
import type { LockedSeries } from './locked-series.js';
import { createSessionSlot } from './series-slots.js';
import type { Session } from './session.entity.js';
import type { ScheduleWarning } from './schedule-warning.js';

/** The time that a cancelled Session would have in the current state of its series. */
type RestoredPlacement = {
  /**
   * Undefined if the series has no upcoming Session from which to compute the time; the Session's previous time then
   * applies.
   */
  planned: Temporal.PlainDateTime | undefined;
  isTaken: boolean;
};

/** Computes placements for the cancelled Sessions among those that are restored together. */
export function computeUndoPlacements(
  returning: readonly Session[],
  locked: LockedSeries,
): Map<Session, RestoredPlacement> {
  const cancelled = returning.filter(({ status }) => status === 'CANCELLED');
  return new Map(cancelled.map((session) => [session, computeUndoPlacement(session, returning, locked)]));
}

/**
 * Places the Session as many intervals from its nearest upcoming neighbour as there are plan weeks between the two. The
 * preceding neighbour takes precedence over the following one. The Session keeps its previous time if either of them
 * yields that time, or if no upcoming Session has changed since the cancellation: a neighbour may have been moved alone
 * before.
 */
function computeUndoPlacement(
  session: Session,
  returning: readonly Session[],
  { series, members, now }: LockedSeries,
): RestoredPlacement {
  const others = members.filter((member) => member.status !== 'CANCELLED' && !returning.includes(member));
  const upcoming = others.filter((member) => member.isUpcoming(now)).toSorted((a, b) => weekNumber(a) - weekNumber(b));
  const before = upcoming.findLast((member) => weekNumber(member) < weekNumber(session));
  const after = upcoming.find((member) => weekNumber(member) > weekNumber(session));
  const weeks = new Set([...members.filter((member) => !isRemovedByRevision(member)), ...returning].map(weekNumber));
  const times = [before, after].flatMap((member) => {
    if (member === undefined) return [];
    const days = countIntervals(weekNumber(member), weekNumber(session), weeks) * series.intervalDays;
    return [member.planned.add({ days })];
  });
  const isUnchanged = upcoming.every((member) => hasNotChangedSince(member, session));
  const isInPlace = isUnchanged || times.some((place) => place.equals(session.planned));
  const planned = times.length > 0 && isInPlace ? session.planned : times[0];
  const time = planned ?? session.planned;
  return { planned, isTaken: others.some((member) => member.planned.equals(time)) };
}

/**
 * Finds warnings for a Session that is restored to its previous time although its series has since been rescheduled.
 */
export function findOutOfOrderWarnings(
  session: Session,
  { planned = session.planned, isTaken }: RestoredPlacement,
): ScheduleWarning[] {
  const { position } = session;
  if (isTaken && planned.equals(session.planned)) {
    const detail = `The Session is restored to ${describeLocalDateTime(planned)}, where the series now has another Session.`;
    return [{ kind: 'OUT_OF_ORDER', position, detail }];
  }
  if (planned.equals(session.planned)) return [];
  const detail =
    `The Session is restored to ${describeLocalDateTime(session.planned)}; in the series as it is now, its time is ` +
    `${describeLocalDateTime(planned)}. Use at=series to restore it there.`;
  return [{ kind: 'OUT_OF_ORDER', position, detail }];
}

/**
 * Returns the time to which a cancelled Session is restored in its series; undefined if it keeps the time that it had.
 *
 * @param places the placements of all Sessions that are restored together
 * @throws ConflictError if another Session of the series has this time, or if the time has passed
 */
export function requireRestorableTime(
  session: Session,
  places: ReadonlyMap<Session, RestoredPlacement>,
  { series, now }: LockedSeries,
): Temporal.PlainDateTime | undefined {
  const { planned, isTaken } = places.get(session)!;
  const time = planned ?? session.planned;
  const isShared = [...places].some(
    ([other, place]) => other !== session && time.equals(place.planned ?? other.planned),
  );
  const subject = `The place of the Session in its series, ${describeLocalDateTime(time)},`;
  const remedy = 'undo without at=series, and move it.';
  if (isTaken || isShared) throw new ConflictError(`${subject} is taken: ${remedy}`);
  const hasPassed = Temporal.Instant.compare(createSessionSlot(time, session.timeZone).startsAt, now) <= 0;
  if (hasPassed && !series.isPaused && !time.equals(session.planned)) {
    throw new ConflictError(`${subject} has passed: ${remedy}`);
  }
  return planned;
}

/** Checks that no later revision has added the plan week of a cancelled Session again, with a new Session. */
export function assertWeeksNotReplaced(undone: readonly Session[], members: readonly Session[]): void {
  for (const session of undone) {
    const other = members.find((member) => member !== session && member.coversWeekOf(session));
    if (other === undefined) continue;
    const detail = `Week ${session.planWeek} of the plan now belongs to the Session at position ${other.position}`;
    throw new ConflictError(`${detail}. The Session at position ${session.position} stays cancelled.`);
  }
}

/** Returns true if the Session was last changed before the other one was cancelled. */
function hasNotChangedSince({ updatedAt }: Session, { statusChangedAt }: Session): boolean {
  return statusChangedAt !== null && Temporal.Instant.compare(updatedAt, statusChangedAt) < 0;
}

/** Returns true if a revision of the plan removed the week of the Session. Later Sessions have taken over its time. */
function isRemovedByRevision({ cancelReason }: Session): boolean {
  return cancelReason === 'PLAN_CHANGED';
}

/** Returns the plan week of a Session, or its position if there is no plan week. Rescheduling changes neither. */
function weekNumber({ planWeek, position }: Session): number {
  return planWeek ?? position;
}

/** Counts the intervals from one week to another. The result is negative if `to` precedes `from`. */
function countIntervals(from: number, to: number, weeks: ReadonlySet<number>): number {
  const [first, last] = from < to ? [from, to] : [to, from];
  const count = [...weeks].filter((week) => week > first && week <= last).length;
  return from < to ? count : -count;
}
