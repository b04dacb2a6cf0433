import { ConflictError } from '../../shared/errors/index.js';
import { formatSlashDate, formatWallClock } from '../../shared/time/index.js';
import type { LockedSeries } from './locked-series.js';
import { createSlot } from './series-slots.js';
import type { Session } from './session.entity.js';
import type { ScheduleWarning } from './schedule-warning.js';

/** Where the week of a cancelled Session is in its series as it is now, and whether another Session has that time. */
export type UndoPlacement = {
  /** Undefined where nothing of the series that is still to come says so: then it is where it was. */
  planned: Temporal.PlainDateTime | undefined;
  isTaken: boolean;
};

/** The places of those of some Sessions that are cancelled, which are to come back together. */
export function computeUndoPlacements(returning: readonly Session[], open: LockedSeries): Map<Session, UndoPlacement> {
  const cancelled = returning.filter(({ status }) => status === 'CANCELLED');
  return new Map(cancelled.map((session) => [session, computeUndoPlacement(session, returning, open)]));
}

/**
 * The place of a cancelled Session in its series: as many intervals from its neighbour as there are weeks from one to
 * the other. Its neighbour is the week before it where that is still to come, else the week after it; where either of
 * them puts it at the time that it has, it has not lost its place.
 */
function computeUndoPlacement(
  session: Session,
  returning: readonly Session[],
  { series, members, now }: LockedSeries,
): UndoPlacement {
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
  const planned = times.find((place) => place.equals(session.planned)) ?? times[0];
  const time = planned ?? session.planned;
  return { planned, isTaken: others.some((member) => member.planned.equals(time)) };
}

/** Tells of a Session that comes back to its old time, which is not its place in the series any more. */
export function findOutOfOrderWarnings(
  session: Session,
  { planned = session.planned, isTaken }: UndoPlacement,
): ScheduleWarning[] {
  const { position } = session;
  if (isTaken && planned.equals(session.planned)) {
    const detail = `The Session comes back on ${formatTime(planned)}, where another Session of the series is by now.`;
    return [{ kind: 'OUT_OF_ORDER', position, detail }];
  }
  if (planned.equals(session.planned)) return [];
  const detail =
    `The Session comes back on ${formatTime(session.planned)}; in the series as it is now, its place is ` +
    `${formatTime(planned)}: undo with at=series puts it there.`;
  return [{ kind: 'OUT_OF_ORDER', position, detail }];
}

/**
 * Where a Session comes back to when it is to have its place in the series; undefined: where it was.
 *
 * @throws ConflictError when another Session is there, or the place has passed
 */
export function requireFreeTime(
  session: Session,
  { planned, isTaken }: UndoPlacement,
  { series, now }: LockedSeries,
): Temporal.PlainDateTime | undefined {
  const time = planned ?? session.planned;
  const subject = `The place of the Session in its series, ${formatTime(time)},`;
  const remedy = 'undo without at=series, and move it.';
  if (isTaken) throw new ConflictError(`${subject} is taken: ${remedy}`);
  const hasPassed = Temporal.Instant.compare(createSlot(time, session.timeZone).startsAt, now) <= 0;
  if (hasPassed && !series.isPaused && !time.equals(session.planned)) {
    throw new ConflictError(`${subject} has passed: ${remedy}`);
  }
  return planned;
}

function formatTime(planned: Temporal.PlainDateTime): string {
  const { date, time } = formatWallClock(planned);
  return `${formatSlashDate(date)} at ${time}`;
}

/** A revision of the plan has closed the gap that such a Session left. */
function isRemovedByRevision({ cancelReason }: Session): boolean {
  return cancelReason === 'PLAN_CHANGED';
}

/** What stays the same of a Session wherever it is moved: its week of the plan, without a plan its number. */
function weekNumber({ planWeek, position }: Session): number {
  return planWeek ?? position;
}

/** Intervals from one week to another, negative when it comes before. */
function countIntervals(from: number, to: number, weeks: ReadonlySet<number>): number {
  const [first, last] = from < to ? [from, to] : [to, from];
  const count = [...weeks].filter((week) => week > first && week <= last).length;
  return from < to ? count : -count;
}
