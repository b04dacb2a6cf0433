import { appointmentTitleOf, type PlanContent, type Week } from '../design-plan/index.js';
import type { OpenSeries } from './series-editor.js';
import { firstAhead, slotAt } from './series.js';
import { Session } from './session.entity.js';
import type { Warning } from './warnings.js';

export type RevisedSchedule = {
  kept: { session: Session; week: Week }[];
  added: { session: Session; week: Week }[];
  cancelled: Session[];
  warnings: Warning[];
};

/**
 * The schedule of a series under a newer revision of its plan. The weeks that have not happened take the
 * places of the Sessions that have not happened, in the plan's order; where there are more weeks than places,
 * the series goes on at its interval.
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
  // A week that an earlier revision had taken out can come back.
  const past = members.filter((session) => !session.remains(now) && session.cancelReason !== 'PLAN_CHANGED');
  const settled = new Set(past.map((session) => session.planWeek));
  const reached = Math.max(-1, ...members.filter((session) => session.hasHappened(now)).map((s) => s.planWeek ?? -1));
  const toCome = weeks.filter(({ ordering }) => !settled.has(ordering));
  const wanted = toCome.filter(({ ordering }) => ordering > reached);
  const places = placesFor(wanted.length, open, rest);
  const schedule: RevisedSchedule = { kept: [], added: [], cancelled: [], warnings: missedWeeks(toCome, reached) };
  let position = members.at(-1)!.position;
  wanted.forEach((week, index) => {
    const session = rest.find(({ planWeek }) => planWeek === week.ordering);
    const planned = places[index]!;
    if (session === undefined) {
      position += 1;
      schedule.added.push({ week, session: newSession(open, week, position, planned, after) });
    } else {
      if (!session.planned.equals(planned)) session.move(planned, now);
      session.describe(revisedText(session, before, after), now);
      schedule.kept.push({ session, week });
    }
  });
  schedule.cancelled = rest.filter((session) => schedule.kept.every((kept) => kept.session !== session));
  for (const session of schedule.cancelled) session.cancel({ reason: 'PLAN_CHANGED' }, now);
  return schedule;
}

/** Where the weeks go: to the places of the Sessions still to come, then on at the interval of the series. */
function placesFor(count: number, { series, members, now }: OpenSeries, rest: readonly Session[]) {
  const { intervalDays } = series;
  const { timeZone } = members[0]!;
  const places = rest.map(({ planned }) => planned).sort((a, b) => Temporal.PlainDateTime.compare(a, b));
  const latest = members.map(({ planned }) => planned).reduce(later);
  const next = firstAhead((places.at(-1) ?? latest).add({ days: intervalDays }), timeZone, intervalDays, now);
  const further = Array.from({ length: count }, (_, index) => next.add({ days: index * intervalDays }));
  return [...places, ...further].slice(0, count);
}

function later(a: Temporal.PlainDateTime, b: Temporal.PlainDateTime): Temporal.PlainDateTime {
  return Temporal.PlainDateTime.compare(a, b) < 0 ? b : a;
}

function newSession(
  { series, members, now }: OpenSeries,
  { ordering }: Week,
  position: number,
  planned: Temporal.PlainDateTime,
  after: PlanContent,
): Session {
  const { clinicId, seriesId, caregiverId, clientId, durationMinutes, timeZone, remindDays } = members.at(-1)!;
  const session = new Session(
    {
      ...{ clinicId, seriesId, caregiverId, clientId, durationMinutes },
      designPlanId: series.designPlanId ?? undefined,
      title: appointmentTitleOf(after),
      description: after.appointmentDesc ?? undefined,
      remindDays: remindDays ?? undefined,
    },
    { position, planWeek: ordering },
    slotAt(planned, timeZone),
    now,
  );
  if (series.isPaused) session.pause(now);
  return session;
}

/** What the plan gave follows the plan; what somebody has written since stays. */
function revisedText({ title, description }: Session, before: PlanContent, after: PlanContent) {
  return {
    title: title === appointmentTitleOf(before) ? appointmentTitleOf(after) : title,
    description: description === before.appointmentDesc ? after.appointmentDesc : description,
  };
}

function missedWeeks(weeks: readonly Week[], reached: number): Warning[] {
  return weeks
    .filter(({ ordering }) => ordering <= reached)
    .map(({ ordering: planWeek }) => {
      const detail = 'A week of the new revision lies before what has happened: it is left out.';
      return { kind: 'WEEK_IN_THE_PAST', planWeek, detail };
    });
}
