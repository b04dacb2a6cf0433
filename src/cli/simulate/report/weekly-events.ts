import type { ReminderWithHistoryModel } from '../../../reminder/index.js';
import type { SessionModel } from '../../../session/index.js';
import { isTimeZone, getUtcOffset } from '../../../shared/time/index.js';
import { toReminderResult, type ReminderResult } from './reminder-result.js';
import type { SimulationResult } from '../simulation.js';

/* Groups the events of a simulation by week, in the Client's time zone, for the terminal report and the page. */

/** The types of reminders, by recipient and subject. */
export const REMINDER_TYPES = ['CLIENT_SESSION', 'CLIENT_HOMEWORK', 'CARE_PROVIDER'] as const;
export type ReminderType = (typeof REMINDER_TYPES)[number];

export type SessionEvent = { kind: 'SESSION'; at: Temporal.ZonedDateTime; session: SessionModel; books: string[] };
export type ReminderEvent = {
  kind: 'REMINDER';
  /** The time at which the reminder was due. */
  at: Temporal.ZonedDateTime;
  type: ReminderType;
  subject: string;
  result: ReminderResult;
};
type HomeworkDoneEvent = { kind: 'HOMEWORK_DONE'; at: Temporal.ZonedDateTime; book: string };
export type ClockChangeEvent = {
  kind: 'CLOCK_CHANGE';
  at: Temporal.ZonedDateTime;
  timeZone: string;
  from: string;
  to: string;
};
export type SimulationEvent = SessionEvent | ReminderEvent | HomeworkDoneEvent | ClockChangeEvent;

/** Seven days that begin on the weekday of the first Session. */
export type SimulatedWeek = { label: string; first: Temporal.PlainDate; events: SimulationEvent[] };

export function groupEventsByWeek(simulation: SimulationResult): SimulatedWeek[] {
  const [firstSession] = simulation.sessions;
  if (firstSession === undefined) return [];
  const start = Temporal.PlainDate.from(firstSession.date.replaceAll('/', '-'));
  const events = listEvents(simulation).sort((a, b) => Temporal.ZonedDateTime.compare(a.at, b.at));
  const byWeek = Map.groupBy(events, ({ at }) => computeWeekIndex(start, at));
  const numbers = [...byWeek.keys(), ...simulation.sessions.map((_, index) => index)];
  const [from, to] = [Math.min(...numbers), Math.max(...numbers)];
  return Array.from({ length: to - from + 1 }, (_, index) => ({
    label: formatWeekLabel(from + index),
    first: start.add({ weeks: from + index }),
    events: byWeek.get(from + index) ?? [],
  }));
}

function listEvents(simulation: SimulationResult): SimulationEvent[] {
  const { client, sessions, reminders, bookTitles } = simulation;
  const titleOf = (bookId: number) => bookTitles[bookId] ?? `Book ${bookId}`;
  const local = (instant: string) => Temporal.Instant.from(instant).toZonedDateTimeISO(client.timeZone);
  const bookOf = new Map(sessions.flatMap(({ homework }) => homework.map(({ id, bookId }) => [id, titleOf(bookId)])));
  const serviceEvents: SimulationEvent[] = [
    ...sessions.map((session): SessionEvent => {
      const books = session.homework.map(({ bookId }) => titleOf(bookId));
      return { kind: 'SESSION', at: local(session.startsAt), session, books };
    }),
    ...reminders.map((reminder): ReminderEvent => {
      const subject = bookOf.get(reminder.homeworkId ?? 0) ?? 'Session';
      const result = toReminderResult(reminder, client.timeZone);
      return { kind: 'REMINDER', at: local(reminder.dueAt), type: toReminderType(reminder), subject, result };
    }),
    ...sessions.flatMap(({ homework }) =>
      homework.flatMap(({ bookId, completedAt }): HomeworkDoneEvent[] =>
        completedAt === null ? [] : [{ kind: 'HOMEWORK_DONE', at: local(completedAt), book: titleOf(bookId) }],
      ),
    ),
  ];
  return [...serviceEvents, ...findClockChanges(serviceEvents, [client.timeZone, sessions[0]!.timeZone])];
}

/** Finds the clock changes in the given time zones between the first and the last event. */
function findClockChanges(events: readonly SimulationEvent[], timeZones: readonly string[]): ClockChangeEvent[] {
  const times = events.map(({ at }) => at).sort((a, b) => Temporal.ZonedDateTime.compare(a, b));
  const [first, last] = [times[0]!, times.at(-1)!];
  return [...new Set(timeZones)].filter(isTimeZone).flatMap((timeZone) => {
    const changes: ClockChangeEvent[] = [];
    let at = first.withTimeZone(timeZone).getTimeZoneTransition('next');
    while (at !== null && Temporal.ZonedDateTime.compare(at, last) <= 0) {
      const from = getUtcOffset(at.toInstant().subtract({ milliseconds: 1 }), timeZone);
      changes.push({ kind: 'CLOCK_CHANGE', at: at.withTimeZone(first.timeZoneId), timeZone, from, to: at.offset });
      at = at.getTimeZoneTransition('next');
    }
    return changes;
  });
}

function toReminderType({ recipientKind, kind }: ReminderWithHistoryModel): ReminderType {
  if (recipientKind === 'CARE_PROVIDER') return 'CARE_PROVIDER';
  return kind === 'HOMEWORK' ? 'CLIENT_HOMEWORK' : 'CLIENT_SESSION';
}

function computeWeekIndex(start: Temporal.PlainDate, at: Temporal.ZonedDateTime): number {
  return Math.floor(start.until(at.toPlainDate(), { largestUnit: 'days' }).days / 7);
}

function formatWeekLabel(week: number): string {
  if (week >= 0) return `Week ${week + 1}`;
  return week === -1 ? 'Before' : `${-week} weeks before`;
}
