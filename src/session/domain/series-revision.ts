import { getAppointmentTitle, type PlanContent, type PlanWeek } from '../../design-plan/index.js';
import type { LockedSeries } from './locked-series.js';
import { compareByStart } from './series-order.js';
import { computeFirstUpcomingTime, createSessionSlot } from './series-slots.js';
import { Session } from './session.entity.js';
import type { ScheduleWarning } from './schedule-warning.js';

export type RevisedSchedule = {
  kept: { session: Session; week: PlanWeek }[];
  added: { session: Session; week: PlanWeek }[];
  cancelled: Session[];
  /** Sessions of which only the position changes. */
  renumbered: Session[];
  warnings: ScheduleWarning[];
};

/** A week of the new revision, with its upcoming Session if there is one. */
type WeekEntry = { week: PlanWeek; session: Session | undefined };

/**
 * Adapts a series to a newer revision of its plan. Upcoming Sessions keep their weeks and their order, and each new
 * week is inserted after the weeks that precede it in the plan. In the resulting order, the weeks take the times of the
 * upcoming Sessions. Any further weeks follow at the interval of the series.
 *
 * @param weeks the weeks of the new revision that the series applies
 */
export function reviseSchedule(
  locked: LockedSeries,
  weeks: readonly PlanWeek[],
  before: PlanContent,
  after: PlanContent,
): RevisedSchedule {
  const { members, now } = locked;
  const upcoming = members.filter((session) => session.isUpcoming(now));
  const { entries, missedWeeks } = matchWeeks(locked, upcoming, weeks);
  const times = computeTimes(entries.length, locked, upcoming);
  const schedule: RevisedSchedule = {
    kept: [],
    added: [],
    cancelled: [],
    renumbered: [],
    warnings: findMissedWeekWarnings(missedWeeks),
  };
  entries.forEach(({ week, session }, index) => {
    const planned = times[index]!;
    if (session === undefined) {
      const position = members.length + schedule.added.length + 1;
      schedule.added.push({ week, session: createSession(locked, week, position, planned, after) });
      return;
    }
    if (!session.planned.equals(planned)) session.reschedule(planned, now);
    session.revise(reviseTexts(session, before, after), now);
    schedule.kept.push({ session, week });
  });
  const kept = new Set(schedule.kept.map(({ session }) => session));
  schedule.cancelled = upcoming.filter((session) => !kept.has(session));
  for (const session of schedule.cancelled) session.cancel({ reason: 'PLAN_CHANGED' }, now);
  return renumber(locked, schedule);
}

/** Matches weeks to upcoming Sessions. New weeks that precede the last past week are returned as missed. */
function matchWeeks({ members, now }: LockedSeries, upcoming: readonly Session[], weeks: readonly PlanWeek[]) {
  const sessionsByWeek = new Map(upcoming.toReversed().map((session) => [session.planWeek, session]));
  // A week that an earlier revision removed can be added again.
  const past = members.filter((session) => !session.isUpcoming(now) && session.cancelReason !== 'PLAN_CHANGED');
  const settledWeeks = new Set(past.map(({ planWeek }) => planWeek));
  const lastPastWeek = Math.max(-1, ...members.filter((session) => session.isPast(now)).map((s) => s.planWeek ?? -1));
  const weeksByOrdering = new Map(weeks.map((week) => [week.ordering, week]));
  const newWeeks = weeks.filter(({ ordering }) => !sessionsByWeek.has(ordering) && !settledWeeks.has(ordering));
  const entries: WeekEntry[] = upcoming.flatMap((session) => {
    const week = weeksByOrdering.get(session.planWeek ?? -1);
    return week === undefined || sessionsByWeek.get(week.ordering) !== session ? [] : [{ week, session }];
  });
  for (const week of newWeeks.filter(({ ordering }) => ordering > lastPastWeek)) {
    const before = entries.findLastIndex((entry) => entry.week.ordering < week.ordering);
    entries.splice(before + 1, 0, { week, session: undefined });
  }
  return { entries, missedWeeks: newWeeks.filter(({ ordering }) => ordering <= lastPastWeek) };
}

/** Returns `count` times: first those of the upcoming Sessions, then further times at the interval of the series. */
function computeTimes(count: number, locked: LockedSeries, upcoming: readonly Session[]): Temporal.PlainDateTime[] {
  const { intervalDays } = locked.series;
  const nextTime = computeNextTime(locked, upcoming);
  const laterTimes = Array.from({ length: count }, (_, index) => nextTime.add({ days: index * intervalDays }));
  return [...upcoming.map(({ planned }) => planned), ...laterTimes].slice(0, count);
}

/**
 * Returns the time for the first further week: one interval after the last Session that is not cancelled, or the first
 * time in the series if all Sessions are cancelled. Unless the series is paused, a time in the past moves forward by
 * whole intervals.
 */
function computeNextTime({ series, members, now }: LockedSeries, upcoming: readonly Session[]): Temporal.PlainDateTime {
  const { intervalDays } = series;
  const [first] = members;
  const last = members.findLast(({ status }) => status !== 'CANCELLED');
  const next = last?.planned.add({ days: intervalDays }) ?? first!.planned;
  // Resuming reschedules all paused Sessions together, so a paused series may continue in the past.
  return series.isPaused && upcoming.length > 0
    ? next
    : computeFirstUpcomingTime(next, first!.timeZone, intervalDays, now);
}

function createSession(
  { series, members, now }: LockedSeries,
  { ordering }: PlanWeek,
  position: number,
  planned: Temporal.PlainDateTime,
  after: PlanContent,
): Session {
  const { clinicId, seriesId, clientId, durationMinutes, timeZone } = members.at(-1)!;
  const session = new Session(
    {
      ...{ clinicId, seriesId, caregiverId: series.careProviderId, clientId, durationMinutes },
      designPlanId: series.designPlanId ?? undefined,
      title: getAppointmentTitle(after),
      description: after.appointmentDesc ?? undefined,
    },
    { position, planWeek: ordering },
    createSessionSlot(planned, timeZone),
    now,
  );
  if (series.isPaused) session.pause(now);
  return session;
}

/** Renumbers all Sessions by start if weeks were added or removed. */
function renumber({ members, now }: LockedSeries, schedule: RevisedSchedule): RevisedSchedule {
  const { added, kept, cancelled } = schedule;
  if (added.length === 0 && cancelled.length === 0) return schedule;
  const before = new Map(members.map((session) => [session, session.position]));
  const all = [...members, ...added.map(({ session }) => session)].sort(compareByStart);
  all.forEach((session, index) => session.renumber(index + 1, now));
  const changed = new Set([...kept.map(({ session }) => session), ...cancelled]);
  const renumbered = members.filter((session) => session.position !== before.get(session) && !changed.has(session));
  return { ...schedule, renumbered };
}

/** Replaces a title or description that came from the plan. Texts that have been edited since are kept. */
function reviseTexts({ title, description }: Session, before: PlanContent, after: PlanContent) {
  return {
    // An earlier release kept the surrounding whitespace of the plan's title.
    title: title.trim() === getAppointmentTitle(before) ? getAppointmentTitle(after) : title,
    description: description === before.appointmentDesc ? after.appointmentDesc : description,
  };
}

function findMissedWeekWarnings(weeks: readonly PlanWeek[]): ScheduleWarning[] {
  return weeks.map(({ ordering: planWeek }) => {
    const detail = 'A week of the new revision lies before a past Session and is left out.';
    return { kind: 'WEEK_IN_THE_PAST', planWeek, detail };
  });
}
