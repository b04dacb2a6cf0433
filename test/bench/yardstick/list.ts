import {
  toBooks,
  toConflicts,
  INCLUDED_COLUMNS,
  INCLUDED_JOINS,
  toPeople,
  toReminders,
  type IncludedRow,
} from './included.js';
import { ProblemException } from './problem.js';
import type { AuthenticatedCaller } from './token.js';
import type { StatementRunner } from './transaction.js';

/** Query parameters of the list of a Clinic's Sessions, which is ordered by start. */
export type ListQuery = { limit?: string; from?: string; to?: string; include?: string };

type Row = Record<'session_id' | 'caregiver_id' | 'client_id', string> & {
  design_plan_id: string | null;
  series_id: string;
  title: string;
  description: string | null;
  planned_date: string;
  planned_time: string;
  time_zone: string;
  starts_at: Date;
  ends_at: Date;
  status: string;
  status_changed_at: Date | null;
  cancel_reason: string | null;
  cancel_note: string | null;
  remind_days_of_series: number | null;
  created_at: Date;
  position: number;
  plan_week: number | null;
  duration_minutes: number;
  version: number;
  homework: { id: number; book_id: number; completed_at: string | number | null }[];
};

/** If a bound is absent, an extreme value replaces it, so that one prepared statement serves all queries. */
const LIST = {
  name: 'list',
  text: `
    select s.*, s.id as session_id, homework.items as homework, series.remind_days as remind_days_of_series
    from clinic c
    left join lateral (
      select * from session where clinic_id = c.id and starts_at >= $2 and starts_at < $3
      order by starts_at, id limit $4
    ) s on true
    left join session_series series on series.clinic_id = c.id and series.id = s.series_id
    left join lateral (
      select coalesce(json_agg(h order by h.id), '[]') as items from homework h where h.clinic_id = c.id and h.session_id = s.id
    ) homework on true
    where c.id = $1 and c.active order by s.starts_at, s.id`,
};

/** The same list with all related data that `include` can add. */
const LIST_INCLUDED = {
  name: 'list-included',
  text: `
    with own as materialized (
      select session.*, session.id as session_id, session.starts_at - interval '720 minutes' as earliest
      from session where clinic_id = $1 and starts_at >= $2 and starts_at < $3 order by starts_at, id limit $4)
    select s.*, series.remind_days as remind_days_of_series, ${INCLUDED_COLUMNS}
    from clinic c left join own s on true
    left join session_series series on series.clinic_id = c.id and series.id = s.series_id ${INCLUDED_JOINS}
    where c.id = $1 and c.active order by s.starts_at, s.session_id`,
};

/** The only value of `include` that the yardstick supports. */
export const ALL_INCLUDED = 'client,careProvider,books,progress,reminders,conflicts';

export async function listIncluded(run: StatementRunner, caller: AuthenticatedCaller, query: ListQuery) {
  const page = await readPage(
    (values) => run<IncludedRow & Omit<Row, 'homework'>>(LIST_INCLUDED, values),
    caller,
    query,
  );
  return {
    nextCursor: page.nextCursor,
    items: page.shown.map((row) => ({
      ...view(
        { ...row, homework: row.homework.map(([id, book_id, , at]) => ({ id, book_id, completed_at: at })) },
        caller.id,
      ),
      ...toPeople(row),
      ...{ books: toBooks(row), remindersAhead: toReminders(row), conflicts: toConflicts(row) },
    })),
  };
}

export async function listSessions(run: StatementRunner, caller: AuthenticatedCaller, query: ListQuery) {
  const { shown, nextCursor } = await readPage((values) => run<Row>(LIST, values), caller, query);
  return { items: shown.map((row) => view(row, caller.id)), nextCursor };
}

async function readPage<Found extends { session_id: string; starts_at: Date }>(
  read: (values: unknown[]) => Promise<Found[]>,
  caller: AuthenticatedCaller,
  query: ListQuery,
): Promise<{ shown: Found[]; nextCursor: string | null }> {
  const limit = Number(query.limit ?? 50);
  const bounds = [query.from ?? '-infinity', query.to ?? 'infinity'];
  const rows = await read([caller.id, ...bounds, limit + 1]);
  if (rows.length === 0) throw new ProblemException(403, 'The record that the token names is not there or not active.');
  const found = rows.filter(({ session_id }) => (session_id as string | null) !== null);
  const shown = found.slice(0, limit);
  const last = found.length > limit ? shown.at(-1)! : undefined;
  const cursor = last && JSON.stringify([last.starts_at.toISOString(), Number(last.session_id)]);
  return { shown, nextCursor: cursor === undefined ? null : Buffer.from(cursor).toString('base64url') };
}

function view(row: Row, clinicId: number) {
  return {
    ...{ id: Number(row.session_id), seriesId: row.series_id, clinicId, caregiverId: Number(row.caregiver_id) },
    ...{ clientId: Number(row.client_id), designPlanId: row.design_plan_id && Number(row.design_plan_id) },
    ...{ title: row.title, description: row.description, timeZone: row.time_zone, status: row.status },
    ...{ remindDays: row.remind_days_of_series, position: row.position, planWeek: row.plan_week },
    ...{ durationMinutes: row.duration_minutes, version: row.version },
    date: row.planned_date.replaceAll('-', '/'),
    time: row.planned_time,
    startsAt: row.starts_at.toISOString(),
    endsAt: row.ends_at.toISOString(),
    createdAt: row.created_at.toISOString(),
    statusChangedAt: row.status_changed_at && row.status_changed_at.toISOString(),
    cancellation: row.cancel_reason && { reason: row.cancel_reason, note: row.cancel_note },
    homework: row.homework.map(({ id, book_id, completed_at }) => ({
      id,
      bookId: book_id,
      completedAt: completed_at && new Date(completed_at).toISOString(),
    })),
    progress: {
      done: row.homework.filter(({ completed_at }) => completed_at !== null).length,
      total: row.homework.length,
    },
  };
}
