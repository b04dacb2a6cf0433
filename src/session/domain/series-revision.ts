import { appointmentTitleOf, type PlanContent, type Week } from '../../design-plan/index.js';
import type { OpenSeries } from '../scheduling/series-editor.js';
import { byStart } from './series-order.js';
import { firstAhead, slotAt } from './series-slots.js';
import { Session } from './session.entity.js';
import type { Warning } from './time-warnings.js';

export type RevisedSchedule = {
  kept: { session: Session; week: Week }[];
  added: { session: Session; week: Week }[];
  cancelled: Session[];
  /** Those of which only the place has changed. */
  renumbered: Session[];
  warnings: Warning[];
};

/** A week of the new revision, with the Session that carries it where there is one ahead. */
type Entry = { week: Week; session: Session | undefined };

/**
 * The schedule of a series under a newer revision of its plan. Every Session that is still ahead keeps its week and
 * its turn; a new week comes right after those before it. In this order they take the places of the Sessions that are
 * still ahead; where there are more weeks than places, the series goes on at its interval.
 *
 * @param weeks those of the new revision that the series is about
 */
export function reviseSchedule(
  open: OpenSeries,
  weeks: readonly Week[],
  before: PlanContent,
  after: PlanContent,
): RevisedSchedule {
  const { members, now } = open;
  const rest = members.filter((session) => session.remains(now));
  const { entries, missed } = entriesOf(open, rest, weeks);
  const places = placesFor(entries.length, open, rest);
  const schedule: RevisedSchedule = {
    kept: [],
    added: [],
    cancelled: [],
    renumbered: [],
    warnings: missedWeeks(missed),
  };
  entries.forEach(({ week, session }, index) => {
    const planned = places[index]!;
    if (session === undefined) {
      const position = members.length + schedule.added.length + 1;
      schedule.added.push({ week, session: newSession(open, week, position, planned, after) });
      return;
    }
    if (!session.planned.equals(planned)) session.move(planned, now);
    session.describe(revisedText(session, before, after), now);
    schedule.kept.push({ session, week });
  });
  const kept = new Set(schedule.kept.map(({ session }) => session));
  schedule.cancelled = rest.filter((session) => !kept.has(session));
  for (const session of schedule.cancelled) session.cancel({ reason: 'PLAN_CHANGED' }, now);
  return renumber(open, schedule);
}

/** Which weeks are to come, in their order, and which lie before what has happened. */
function entriesOf({ members, now }: OpenSeries, rest: readonly Session[], weeks: readonly Week[]) {
  const ahead = new Map(rest.toReversed().map((session) => [session.planWeek, session]));
  // A week that an earlier revision had taken out can come back.
  const past = members.filter((session) => !session.remains(now) && session.cancelReason !== 'PLAN_CHANGED');
  const settled = new Set(past.map(({ planWeek }) => planWeek));
  const reached = Math.max(-1, ...members.filter((session) => session.hasHappened(now)).map((s) => s.planWeek ?? -1));
  const byOrdering = new Map(weeks.map((week) => [week.ordering, week]));
  const fresh = weeks.filter(({ ordering }) => !ahead.has(ordering) && !settled.has(ordering));
  const entries: Entry[] = rest.flatMap((session) => {
    const week = byOrdering.get(session.planWeek ?? -1);
    return week === undefined || ahead.get(week.ordering) !== session ? [] : [{ week, session }];
  });
  for (const week of fresh.filter(({ ordering }) => ordering > reached)) {
    const before = entries.findLastIndex((entry) => entry.week.ordering < week.ordering);
    entries.splice(before + 1, 0, { week, session: undefined });
  }
  return { entries, missed: fresh.filter(({ ordering }) => ordering <= reached) };
}

/** Where the weeks go: to the places of the Sessions still to come, then on at the interval of the series. */
function placesFor(count: number, open: OpenSeries, rest: readonly Session[]): Temporal.PlainDateTime[] {
  const { intervalDays } = open.series;
  const next = nextPlace(open, rest);
  const further = Array.from({ length: count }, (_, index) => next.add({ days: index * intervalDays }));
  return [...rest.map(({ planned }) => planned), ...further].slice(0, count);
}

/** The place behind the last Session that is not cancelled; without any, the first of the series. */
function nextPlace({ series, members, now }: OpenSeries, rest: readonly Session[]): Temporal.PlainDateTime {
  const { intervalDays } = series;
  const [first] = members;
  const last = members.findLast(({ status }) => status !== 'CANCELLED');
  const next = last?.planned.add({ days: intervalDays }) ?? first!.planned;
  // What waits is taken on together when the series is resumed, whatever dates have passed by then.
  return series.isPaused && rest.length > 0 ? next : firstAhead(next, first!.timeZone, intervalDays, now);
}

function newSession(
  { series, members, now }: OpenSeries,
  { ordering }: Week,
  position: number,
  planned: Temporal.PlainDateTime,
  after: PlanContent,
): Session {
  const { clinicId, seriesId, clientId, durationMinutes, timeZone } = members.at(-1)!;
  const session = new Session(
    {
      ...{ clinicId, seriesId, caregiverId: series.careProviderId, clientId, durationMinutes },
      designPlanId: series.designPlanId ?? undefined,
      title: appointmentTitleOf(after),
      description: after.appointmentDesc ?? undefined,
    },
    { position, planWeek: ordering },
    slotAt(planned, timeZone),
    now,
  );
  if (series.isPaused) session.pause(now);
  return session;
}

/** Weeks that come or go number all places anew, by the calendar. */
function renumber({ members, now }: OpenSeries, schedule: RevisedSchedule): RevisedSchedule {
  const { added, kept, cancelled } = schedule;
  if (added.length === 0 && cancelled.length === 0) return schedule;
  const before = new Map(members.map((session) => [session, session.position]));
  const all = [...members, ...added.map(({ session }) => session)].sort(byStart);
  all.forEach((session, index) => session.renumber(index + 1, now));
  const changed = new Set([...kept.map(({ session }) => session), ...cancelled]);
  const renumbered = members.filter((session) => session.position !== before.get(session) && !changed.has(session));
  return { ...schedule, renumbered };
}

/** What the plan gave follows the plan; what somebody has written since stays. */
function revisedText({ title, description }: Session, before: PlanContent, after: PlanContent) {
  return {
    title: title === appointmentTitleOf(before) ? appointmentTitleOf(after) : title,
    description: description === before.appointmentDesc ? after.appointmentDesc : description,
  };
}

function missedWeeks(weeks: readonly Week[]): Warning[] {
  return weeks.map(({ ordering: planWeek }) => {
    const detail = 'A week of the new revision lies before what has happened: it is left out.';
    return { kind: 'WEEK_IN_THE_PAST', planWeek, detail };
  });
}
