import type { ReminderStoryModel } from '../../../reminder/index.js';
import type { SessionModel } from '../../../session/index.js';
import { isTimeZone, offsetOf } from '../../../shared/time/index.js';
import { outcomeOf, type Outcome } from './reminder-result.js';
import type { Simulation } from '../simulation.js';

/* All that has happened, week by week, on the Client's wall clock: what the terminal and the page show. */

/** Who is reminded of what: a lane of the picture. */
export const LANES = ['CLIENT_SESSION', 'CLIENT_HOMEWORK', 'CARE_PROVIDER'] as const;
export type Lane = (typeof LANES)[number];

export type SessionEntry = { what: 'SESSION'; at: Temporal.ZonedDateTime; session: SessionModel; books: string[] };
export type ReminderEntry = {
  what: 'REMINDER';
  /** When it was due. */
  at: Temporal.ZonedDateTime;
  lane: Lane;
  about: string;
  outcome: Outcome;
};
export type HomeworkEntry = { what: 'HOMEWORK_DONE'; at: Temporal.ZonedDateTime; book: string };
export type ClockChangeEntry = {
  what: 'CLOCK_CHANGE';
  at: Temporal.ZonedDateTime;
  timeZone: string;
  from: string;
  to: string;
};
export type Entry = SessionEntry | ReminderEntry | HomeworkEntry | ClockChangeEntry;

/** Seven days from the weekday of the first Session. */
export type Week = { label: string; first: Temporal.PlainDate; entries: Entry[] };

export function timelineOf(simulation: Simulation): Week[] {
  const [firstSession] = simulation.sessions;
  if (firstSession === undefined) return [];
  const start = Temporal.PlainDate.from(firstSession.date.replaceAll('/', '-'));
  const entries = entriesOf(simulation).sort((a, b) => Temporal.ZonedDateTime.compare(a.at, b.at));
  const byWeek = Map.groupBy(entries, ({ at }) => weekOf(start, at));
  const numbers = [...byWeek.keys(), ...simulation.sessions.map((_, index) => index)];
  const [from, to] = [Math.min(...numbers), Math.max(...numbers)];
  return Array.from({ length: to - from + 1 }, (_, index) => ({
    label: labelOf(from + index),
    first: start.add({ weeks: from + index }),
    entries: byWeek.get(from + index) ?? [],
  }));
}

function entriesOf(simulation: Simulation): Entry[] {
  const { client, sessions, reminders, bookTitles } = simulation;
  const titleOf = (bookId: number) => bookTitles[bookId] ?? `Book ${bookId}`;
  const local = (instant: string) => Temporal.Instant.from(instant).toZonedDateTimeISO(client.timeZone);
  const bookOf = new Map(sessions.flatMap(({ homework }) => homework.map(({ id, bookId }) => [id, titleOf(bookId)])));
  const own: Entry[] = [
    ...sessions.map((session): SessionEntry => {
      const books = session.homework.map(({ bookId }) => titleOf(bookId));
      return { what: 'SESSION', at: local(session.startsAt), session, books };
    }),
    ...reminders.map((reminder): ReminderEntry => {
      const about = bookOf.get(reminder.homeworkId ?? 0) ?? 'Session';
      const outcome = outcomeOf(reminder, client.timeZone);
      return { what: 'REMINDER', at: local(reminder.dueAt), lane: laneOf(reminder), about, outcome };
    }),
    ...sessions.flatMap(({ homework }) =>
      homework.flatMap(({ bookId, completedAt }): HomeworkEntry[] =>
        completedAt === null ? [] : [{ what: 'HOMEWORK_DONE', at: local(completedAt), book: titleOf(bookId) }],
      ),
    ),
  ];
  return [...own, ...clockChanges(own, [client.timeZone, sessions[0]!.timeZone])];
}

/** Of the zones of the Client and of the Sessions, between the first and the last that happens. */
function clockChanges(entries: readonly Entry[], timeZones: readonly string[]): ClockChangeEntry[] {
  const moments = entries.map(({ at }) => at).sort((a, b) => Temporal.ZonedDateTime.compare(a, b));
  const [first, last] = [moments[0]!, moments.at(-1)!];
  return [...new Set(timeZones)].filter(isTimeZone).flatMap((timeZone) => {
    const changes: ClockChangeEntry[] = [];
    let at = first.withTimeZone(timeZone).getTimeZoneTransition('next');
    while (at !== null && Temporal.ZonedDateTime.compare(at, last) <= 0) {
      const from = offsetOf(at.toInstant().subtract({ milliseconds: 1 }), timeZone);
      changes.push({ what: 'CLOCK_CHANGE', at: at.withTimeZone(first.timeZoneId), timeZone, from, to: at.offset });
      at = at.getTimeZoneTransition('next');
    }
    return changes;
  });
}

function laneOf({ recipientKind, kind }: ReminderStoryModel): Lane {
  if (recipientKind === 'CARE_PROVIDER') return 'CARE_PROVIDER';
  return kind === 'HOMEWORK' ? 'CLIENT_HOMEWORK' : 'CLIENT_SESSION';
}

function weekOf(start: Temporal.PlainDate, at: Temporal.ZonedDateTime): number {
  return Math.floor(start.until(at.toPlainDate(), { largestUnit: 'days' }).days / 7);
}

function labelOf(week: number): string {
  if (week >= 0) return `Week ${week + 1}`;
  return week === -1 ? 'Before' : `${-week} weeks before`;
}
