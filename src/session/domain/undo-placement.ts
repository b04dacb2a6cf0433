import { ConflictError } from '../../shared/errors/index.js';
import { formatSlashDate, formatWallClock } from '../../shared/time/index.js';
import type { OpenSeries } from '../scheduling/series-editor.js';
import { slotAt } from './series-slots.js';
import type { Session } from './session.entity.js';
import type { Warning } from './time-warnings.js';

/** Where the week of a cancelled Session is in its series as it is now, and whether another Session has that time. */
export type SeriesPlace = {
  /** Undefined where nothing of the series that is still to come says so: then it is where it was. */
  planned: Temporal.PlainDateTime | undefined;
  isTaken: boolean;
};

/** The places of those of some Sessions that are cancelled, which are to come back together. */
export function placesInSeries(returning: readonly Session[], open: OpenSeries): Map<Session, SeriesPlace> {
  const cancelled = returning.filter(({ status }) => status === 'CANCELLED');
  return new Map(cancelled.map((session) => [session, placeInSeries(session, returning, open)]));
}

/**
 * The place of a cancelled Session in its series: as many intervals from its neighbour as there are weeks from one to
 * the other. Its neighbour is the week before it where that is still to come, else the week after it; where either of
 * them puts it at the time that it has, it has not lost its place.
 */
function placeInSeries(
  session: Session,
  returning: readonly Session[],
  { series, members, now }: OpenSeries,
): SeriesPlace {
  const others = members.filter((member) => member.status !== 'CANCELLED' && !returning.includes(member));
  const ahead = others.filter((member) => member.remains(now)).toSorted((a, b) => weekOf(a) - weekOf(b));
  const before = ahead.findLast((member) => weekOf(member) < weekOf(session));
  const after = ahead.find((member) => weekOf(member) > weekOf(session));
  const weeks = new Set([...members.filter((member) => !isOutOfPlan(member)), ...returning].map(weekOf));
  const places = [before, after].flatMap((member) => {
    if (member === undefined) return [];
    const days = intervalsBetween(weekOf(member), weekOf(session), weeks) * series.intervalDays;
    return [member.planned.add({ days })];
  });
  const planned = places.find((place) => place.equals(session.planned)) ?? places[0];
  const time = planned ?? session.planned;
  return { planned, isTaken: others.some((member) => member.planned.equals(time)) };
}

/** Tells of a Session that comes back to its old time, which is not its place in the series any more. */
export function outOfOrder(session: Session, { planned = session.planned, isTaken }: SeriesPlace): Warning[] {
  const { position } = session;
  if (isTaken && planned.equals(session.planned)) {
    const detail = `The Session comes back on ${inWords(planned)}, where another Session of the series is by now.`;
    return [{ kind: 'OUT_OF_ORDER', position, detail }];
  }
  if (planned.equals(session.planned)) return [];
  const detail =
    `The Session comes back on ${inWords(session.planned)}; in the series as it is now, its place is ` +
    `${inWords(planned)}: undo with at=series puts it there.`;
  return [{ kind: 'OUT_OF_ORDER', position, detail }];
}

/**
 * Where a Session comes back to when it is to have its place in the series; undefined: where it was.
 *
 * @throws ConflictError when another Session is there, or the place has passed
 */
export function requireFree(
  session: Session,
  { planned, isTaken }: SeriesPlace,
  { series, now }: OpenSeries,
): Temporal.PlainDateTime | undefined {
  const place = planned ?? session.planned;
  const which = `The place of the Session in its series, ${inWords(place)},`;
  const otherwise = 'undo without at=series, and move it.';
  if (isTaken) throw new ConflictError(`${which} is taken: ${otherwise}`);
  const hasPassed = Temporal.Instant.compare(slotAt(place, session.timeZone).startsAt, now) <= 0;
  if (hasPassed && !series.isPaused && !place.equals(session.planned)) {
    throw new ConflictError(`${which} has passed: ${otherwise}`);
  }
  return planned;
}

function inWords(planned: Temporal.PlainDateTime): string {
  const { date, time } = formatWallClock(planned);
  return `${formatSlashDate(date)} at ${time}`;
}

/** A revision of the plan has closed the gap that such a Session left. */
function isOutOfPlan({ cancelReason }: Session): boolean {
  return cancelReason === 'PLAN_CHANGED';
}

/** What stays the same of a Session wherever it is moved: its week of the plan, without a plan its number. */
function weekOf({ planWeek, position }: Session): number {
  return planWeek ?? position;
}

/** Intervals from one week to another, negative when it comes before. */
function intervalsBetween(from: number, to: number, weeks: ReadonlySet<number>): number {
  const [first, last] = from < to ? [from, to] : [to, from];
  const between = [...weeks].filter((week) => week > first && week <= last).length;
  return from < to ? between : -between;
}
