import { formatIso, formatWallClock } from './calendar.js';
import type { Week } from './plans.js';
import { ProblemException } from './problem.js';
import {
  lookUpReferences,
  findParticipantErrors,
  computeSeries,
  insertSeries,
  type ApplyBody,
  type Homework,
} from './series.js';
import type { AuthenticatedCaller } from './token.js';
import type { StatementRunner } from './transaction.js';

/* The response of operations that create or change Sessions: applying a plan, moving a Session. */

export type ShownSession = {
  id: number;
  version: number;
  position: number;
  plan_week: number | null;
  caregiver_id: number;
  client_id: number;
  title: string;
  description: string | null;
  time_zone: string;
  duration_minutes: number;
  status: string;
  planned_date: string;
  planned_time: string;
  startsAt: Temporal.Instant;
  endsAt: Temporal.Instant;
  reminders: ShownReminder[];
  homework: { bookId: number; completed: boolean; reminders: ShownReminder[] }[];
};
export type Rule = {
  kind: string;
  days?: number;
  offset?: string;
  bookId?: number;
  reminderDay?: number;
  time?: string;
  timeZone?: string;
};
export type ShownReminder = { kind: string; rule: Rule; due: Temporal.Instant; status: string; reason: string | null };

type Overlap = {
  position: number;
  other_id: string;
  starts_at: Date;
  ends_at: Date;
  other_starts_at: Date;
  other_ends_at: Date;
  is_care_provider: boolean;
  is_client: boolean;
  overlaps: number;
};

const side = (column: string) => `
  select s.id, o.id as other_id, s.position, o.caregiver_id = s.caregiver_id as is_care_provider,
    o.client_id = s.client_id as is_client, s.starts_at, s.ends_at, o.starts_at as other_starts_at, o.ends_at as other_ends_at
  from asked s join session o on o.clinic_id = $1 and o.${column} = s.${column} and o.starts_at < s.ends_at
    and o.starts_at > s.earliest and o.ends_at > s.starts_at and o.status = 'SCHEDULED' and o.id <> s.id`;

const OVERLAPS = {
  name: 'overlaps',
  text: `
    with asked as materialized (
      select id, position, caregiver_id, client_id, starts_at, ends_at, starts_at - interval '720 minutes' as earliest
      from session where clinic_id = $1 and id = any($2::bigint[]) and status = 'SCHEDULED')
    select overlap.*, (count(*) over ())::int as overlaps
    from (${side('caregiver_id')} union ${side('client_id')}) overlap
    order by starts_at, id, other_starts_at, other_id limit 1000`,
};

export async function applyPlan(
  run: StatementRunner,
  caller: AuthenticatedCaller,
  planId: number,
  body: ApplyBody,
  zone: string | undefined,
) {
  const found = await lookUpReferences(run, caller, body, { planId, bookIds: [], withWeeks: true });
  if (found.plan_id === null) throw new ProblemException(404, 'There is no such resource.');
  if (found.archived) throw new ProblemException(409, 'The plan is archived.');
  const weeks = found.weeks!.filter(
    ({ ordering }) => ordering >= (body.fromWeek ?? ordering) && ordering <= (body.toWeek ?? ordering),
  );
  const errors = findParticipantErrors(found);
  if (weeks.length === 0) errors.push({ pointer: '/fromWeek', detail: 'the plan has no week in this range' });
  if (errors.length > 0) throw new ProblemException(422, 'Refused', errors);
  const usable = new Set(found.books.map(Number));
  const now = Temporal.Now.instant();
  const series = computeSeries(found, caller, body, {
    weeks: weeks.map((week) => ({ planWeek: week.ordering, homework: homeworkOf(week, usable) })),
    ...{ zone: zone ?? found.time_zone, title: found.appointment_title ?? found.plan_name!, now },
  });
  Object.assign(series, { planId, revision: found.revision, description: found.appointment_desc });
  const ids = await insertSeries(run, series, body, now);
  const sessions = series.orders.map((order, index): ShownSession => {
    const own = series.reminders.filter(({ position }) => position === order.position);
    const shown = (bookId: number | null) => own.filter((reminder) => reminder.bookId === bookId).map(pending);
    return {
      ...{
        id: ids[index]!,
        version: 1,
        position: order.position,
        plan_week: order.planWeek,
        caregiver_id: series.caregiverId,
      },
      ...{ client_id: series.clientId, title: series.title, description: series.description, time_zone: series.zone },
      ...{ duration_minutes: series.minutes, status: 'SCHEDULED', planned_date: order.slot.date },
      ...{ planned_time: order.slot.time, startsAt: order.slot.startsAt, endsAt: order.endsAt },
      reminders: shown(null),
      homework: order.homework.map(({ bookId }) => ({ bookId, completed: false, reminders: shown(bookId) })),
    };
  });
  const warnings = [...withdrawn(weeks, usable), ...timeWarnings(sessions, now)];
  const head = { seriesId: series.id, designPlanId: planId, revision: found.revision, paused: false };
  return toResponse(head, sessions, await findOverlaps(run, series.clinicId, ids), warnings);
}

export async function findOverlaps(run: StatementRunner, clinicId: number, ids: readonly number[]): Promise<Overlap[]> {
  return run<Overlap>(OVERLAPS, [clinicId, ids]);
}

export function toResponse<Head extends object>(
  head: Head,
  sessions: readonly ShownSession[],
  overlaps: readonly Overlap[],
  warnings: object[],
) {
  return {
    ...head,
    sessions: sessions.map(viewSession),
    renumbered: [],
    conflicts: overlaps.map((row) => ({
      position: row.position,
      startsAt: row.starts_at.toISOString(),
      endsAt: row.ends_at.toISOString(),
      with: row.is_care_provider && row.is_client ? 'BOTH' : row.is_care_provider ? 'CARE_PROVIDER' : 'CLIENT',
      otherStartsAt: row.other_starts_at.toISOString(),
      otherEndsAt: row.other_ends_at.toISOString(),
      otherSessionId: Number(row.other_id),
    })),
    conflictCount: overlaps[0]?.overlaps ?? 0,
    warnings,
  };
}

/** Returns the warnings about the times of Sessions and reminders. */
export function timeWarnings(sessions: readonly ShownSession[], now: Temporal.Instant): object[] {
  const offsets = sessions.map(({ startsAt, time_zone }) => startsAt.toZonedDateTimeISO(time_zone));
  const ofTimes = sessions.flatMap((session, index) => {
    const { position, time_zone } = session;
    const [local, before] = [offsets[index]!, offsets[index - 1]];
    const text = local.toPlainDateTime().toString({ smallestUnit: 'minute' });
    const isSkipped = text !== `${session.planned_date}T${session.planned_time}`;
    const isShifted = before !== undefined && before.timeZoneId === local.timeZoneId && before.offset !== local.offset;
    const skipped = `The clock skips ${session.planned_time} that day: the Session is at ${text.slice(11)}.`;
    const shifted =
      `The UTC offset of ${time_zone} changes from ${before?.offset} to ${local.offset} since the Session before: ` +
      'the local time stays, for people in other zones it is another.';
    return [
      ...(isSkipped ? [{ kind: 'TIME_SKIPPED', position, detail: skipped }] : []),
      ...(isShifted ? [{ kind: 'DAYLIGHT_SAVING_SHIFT', position, detail: shifted }] : []),
    ];
  });
  const late = sessions.flatMap(({ position, reminders, homework }) =>
    [...reminders, ...homework.flatMap((item) => item.reminders)]
      .filter(({ status, due }) => status === 'PENDING' && due.epochMilliseconds < now.epochMilliseconds)
      .map(({ kind, rule }) => ({
        kind: 'REMINDER_IN_THE_PAST',
        position,
        detail: `A reminder for the ${kind === 'CLIENT' ? 'Client' : 'Care Provider'} was already due. It is sent immediately.`,
        ...(rule.bookId === undefined ? {} : { bookId: rule.bookId }),
      })),
  );
  return [...ofTimes, ...late];
}

function viewSession(session: ShownSession) {
  const zone = session.time_zone;
  return {
    ...{ id: session.id, version: session.version },
    ...{ position: session.position, planWeek: session.plan_week, caregiverId: session.caregiver_id },
    ...{ clientId: session.client_id, title: session.title, description: session.description, timeZone: zone },
    ...{ durationMinutes: session.duration_minutes, status: session.status },
    date: session.planned_date.replaceAll('-', '/'),
    time: session.planned_time,
    startsAt: formatIso(session.startsAt),
    endsAt: formatIso(session.endsAt),
    reminders: session.reminders.map((reminder) => viewReminder(reminder, zone)),
    homework: session.homework.map(({ bookId, completed, reminders }) => {
      return { bookId, completed, reminders: reminders.map((reminder) => viewReminder(reminder, zone)) };
    }),
  };
}

function viewReminder({ kind, rule, due, status, reason }: ShownReminder, zone: string) {
  const timeZone = rule.timeZone ?? zone;
  const local = formatWallClock(due, timeZone);
  return { recipient: kind, rule: inWords(rule), ...local, timeZone, dueAt: formatIso(due), status, reason };
}

function inWords(rule: Rule): string {
  if (rule.kind === 'REMIND_DAYS') return `remindDays ${rule.days}`;
  return rule.kind === 'AROUND_START' ? rule.offset! : `day ${rule.reminderDay} at ${rule.time}`;
}

function pending({ kind, rule, due }: { kind: string; rule: object; due: Temporal.Instant }): ShownReminder {
  return { kind, rule: rule as Rule, due, status: 'PENDING', reason: null };
}

/** Returns each Book of a week once, with all its reminders. */
function homeworkOf(week: Week, usable: ReadonlySet<number>): Homework[] {
  const books = new Map<number, Map<string, Homework['reminders'][number]>>();
  for (const { bookId, assignReminds } of week.assignments) {
    if (!usable.has(bookId)) continue;
    const times = books.get(bookId) ?? new Map<string, Homework['reminders'][number]>();
    for (const remind of assignReminds) times.set(`${remind.reminderDay} ${remind.time}`, remind);
    books.set(bookId, times);
  }
  return [...books].map(([bookId, times]) => ({ bookId, reminders: [...times.values()] }));
}

function withdrawn(weeks: readonly Week[], usable: ReadonlySet<number>): object[] {
  return weeks.flatMap(({ ordering, assignments }) =>
    [...new Set(assignments.map(({ bookId }) => bookId))]
      .filter((bookId) => !usable.has(bookId))
      .map((bookId) => {
        const detail = 'The Book was withdrawn and is left out of the homework.';
        return { kind: 'BOOK_WITHDRAWN', planWeek: ordering, bookId, detail };
      }),
  );
}
