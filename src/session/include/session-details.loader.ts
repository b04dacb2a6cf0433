import { Injectable } from '@nestjs/common';
import { sql, type RawBuilder } from 'kysely';
import {
  isAfterNextSession,
  toUpcomingReminder,
  buildUpcomingRemindersSql,
  MAX_UPCOMING_REMINDERS_PER_SESSION,
  type ReminderViewer,
  type UpcomingReminder,
  type UpcomingReminderRow,
} from '../../reminder/index.js';
import type { ScheduleConflict } from '../../directory/index.js';
import { formatEpochMilliseconds, TenantEntityManager } from '../../shared/persistence/index.js';
import type { Session } from '../domain/session.entity.js';
import type { BookHomework } from '../scheduling/dto/book-homework.js';
import { listedConflictsSql, toListedConflicts, type ConflictRow } from './listed-conflicts.js';
import { nextStartsSql, type NextStartRow } from './next-starts.js';

/** Which details of Sessions to load. */
export type RequestedSessionDetails = {
  homework?: boolean;
  conflicts?: boolean;
  /**
   * The caller who sees the reminders; absent if no reminders are needed. Different callers see different reminders of
   * the same Session.
   */
  remindersFor?: ReminderViewer;
  /** IDs of the Books whose titles are to be loaded, if the homework has already been read. */
  bookIds?: readonly number[];
};

/**
 * Details keyed by Session ID. Sessions without details have no entry. A kind of detail that was not requested is
 * empty.
 */
export type LoadedSessionDetails = {
  homework: ReadonlyMap<number, BookHomework[]>;
  remindersAhead: ReadonlyMap<number, UpcomingReminder[]>;
  conflicts: ReadonlyMap<number, ScheduleConflict[]>;
  /** Titles of the Books in `bookIds`, keyed by Book ID. */
  bookTitles: ReadonlyMap<number, string>;
};

/** ID of the homework, Session ID, Book ID, title of the Book, and completion time in milliseconds. */
type HomeworkRow = [number, number, number, string | null, number | null];
type Columns = 'homework' | 'reminders' | 'nextStarts' | 'conflicts' | 'books';

/** Loads homework, upcoming reminders and overlaps of Sessions. */
@Injectable()
export class SessionDetailsLoader {
  constructor(private readonly em: TenantEntityManager) {}

  /**
   * Loads all requested details with one statement that has one column per kind. It does not check whether the caller
   * may see the Sessions.
   *
   * @param sessions Sessions of one Clinic, all of which the caller may see
   */
  async load(sessions: readonly Readonly<Session>[], wanted: RequestedSessionDetails): Promise<LoadedSessionDetails> {
    const columns = toColumns(sessions, wanted);
    return toDetails(sessions, columns.length === 0 ? {} : await this.readRow(columns));
  }

  private async readRow(columns: readonly [Columns, RawBuilder<unknown>][]): Promise<Partial<Record<Columns, string>>> {
    // The JSON is returned as text, because the two database drivers would parse it differently.
    const list = columns.map(([name, expression]) => sql`coalesce(${expression}, '[]')::text as ${sql.ref(name)}`);
    const statement = sql<Record<Columns, string>>`select ${sql.join(list)}`;
    return (await statement.execute(this.em.getKysely())).rows[0]!;
  }
}

function toColumns(
  sessions: readonly Readonly<Session>[],
  { homework, conflicts, remindersFor, bookIds = [] }: RequestedSessionDetails,
): [Columns, RawBuilder<unknown>][] {
  const [first] = sessions;
  if (first === undefined) return [];
  const { clinicId } = first;
  const ids = sessions.map(({ id }) => id);
  const columns: [Columns, RawBuilder<unknown>][] = [];
  if (homework) columns.push(['homework', homeworkSql(clinicId, ids)]);
  if (remindersFor) {
    columns.push(['reminders', buildUpcomingRemindersSql(clinicId, ids, remindersFor)]);
    columns.push(['nextStarts', nextStartsSql(clinicId, sessions)]);
  }
  if (conflicts) columns.push(['conflicts', listedConflictsSql(clinicId, sessions)]);
  if (bookIds.length > 0) columns.push(['books', bookTitlesSql(clinicId, bookIds)]);
  return columns;
}

function bookTitlesSql(clinicId: number, bookIds: readonly number[]): RawBuilder<unknown> {
  return sql`(
    select json_agg(json_build_array(id, title)) from book
    where id = any(${[...new Set(bookIds)]}::bigint[]) and (clinic_id = ${clinicId} or clinic_id is null))`;
}

function homeworkSql(clinicId: number, sessionIds: readonly number[]): RawBuilder<unknown> {
  return sql`(
    select json_agg(json_build_array(h.id, h.session_id, h.book_id, b.title,
      (extract(epoch from h.completed_at) * 1000)::int8) order by h.id)
    from homework h left join book b on b.id = h.book_id and (b.clinic_id = ${clinicId} or b.clinic_id is null)
    where h.clinic_id = ${clinicId} and h.session_id = any(${sessionIds}::bigint[]))`;
}

function toDetails(
  sessions: readonly Readonly<Session>[],
  row: Partial<Record<Columns, string>>,
): LoadedSessionDetails {
  const parse = (column: Columns) => JSON.parse(row[column] ?? '[]') as unknown;
  const conflicts = Map.groupBy(parse('conflicts') as ConflictRow[], ([sessionId]) => sessionId);
  const reminders = groupBySession(
    removeAfterDue(parse('reminders') as UpcomingReminderRow[], parse('nextStarts') as NextStartRow[], sessions),
    toUpcomingReminder,
  );
  return {
    homework: groupBySession(parse('homework') as HomeworkRow[], toBookHomeworkOfRow),
    remindersAhead: new Map(
      [...reminders].map(([id, ofSession]) => [id, ofSession.slice(0, MAX_UPCOMING_REMINDERS_PER_SESSION)]),
    ),
    bookTitles: new Map(parse('books') as [number, string][]),
    conflicts: new Map(
      sessions.flatMap((session): [number, ScheduleConflict[]][] => {
        const found = conflicts.get(session.id);
        return found === undefined ? [] : [[session.id, toListedConflicts(session, found)]];
      }),
    ),
  };
}

/** Removes homework reminders that are not sent because they are due after the date of the next Session. */
function removeAfterDue(
  reminders: readonly UpcomingReminderRow[],
  nextStarts: readonly NextStartRow[],
  sessions: readonly Readonly<Session>[],
): UpcomingReminderRow[] {
  const nextStartBySession = new Map(nextStarts);
  const zones = new Map(sessions.map(({ id, timeZone }) => [id, timeZone]));
  return reminders.filter((reminder) => {
    const [, sessionId] = reminder;
    const nextStart = nextStartBySession.get(sessionId);
    return nextStart === undefined || !isAfterNextSession(reminder, nextStart, zones.get(sessionId)!);
  });
}

function groupBySession<Row extends [number, number, ...unknown[]], Item>(
  rows: readonly Row[],
  toItem: (row: Row) => Item,
): Map<number, Item[]> {
  const groups = new Map<number, Item[]>();
  for (const row of rows) {
    const group = groups.get(row[1]);
    if (group === undefined) groups.set(row[1], [toItem(row)]);
    else group.push(toItem(row));
  }
  return groups;
}

function toBookHomeworkOfRow([id, , bookId, title, completedAt]: HomeworkRow): BookHomework {
  const completed = completedAt === null ? null : formatEpochMilliseconds(completedAt);
  return { id, bookId, bookTitle: title ?? '', completedAt: completed };
}
