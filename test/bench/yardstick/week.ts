import {
  toConflicts,
  toHomework,
  INCLUDED_COLUMNS,
  INCLUDED_JOINS,
  toPeople,
  toProgress,
  toReminders,
  type IncludedRow,
} from './included.js';
import { ProblemException } from './problem.js';
import type { AuthenticatedCaller } from './token.js';
import type { StatementRunner } from './transaction.js';

/* Reads the week of a Care Provider with all data that a weekly calendar shows, in two statements. */

export type WeekQuery = { from: string; timeZone?: string };

const MAX_SESSIONS = 1_000;

const ZONE = {
  name: 'week-zone',
  text: `
    select c.time_zone from care_provider p join clinic c on c.id = p.clinic_id
    where p.id = $1 and p.active and c.active`,
};

const WEEK = {
  name: 'week',
  text: `
    with own as materialized (
      select session.*, session.id as session_id, session.starts_at - interval '720 minutes' as earliest
      from session
      where clinic_id = (select clinic_id from care_provider where id = $1) and starts_at >= $2 and starts_at < $3
        and (caregiver_id = $1 or client_id = any (select client_id from client_assignment
          where clinic_id = (select clinic_id from care_provider where id = $1) and care_provider_id = $1))
      order by starts_at, id limit ${MAX_SESSIONS + 1})
    select s.*, to_char(s.starts_at at time zone $4, 'YYYY/MM/DD HH24:MI') as local_start,
      to_char(s.ends_at at time zone $4, 'YYYY/MM/DD HH24:MI') as local_end,
      (extract(epoch from s.starts_at at time zone $4 - s.starts_at at time zone 'UTC') / 60)::int as start_offset,
      (extract(epoch from s.ends_at at time zone $4 - s.ends_at at time zone 'UTC') / 60)::int as end_offset, ${INCLUDED_COLUMNS}
    from care_provider me join clinic c on c.id = me.clinic_id cross join own s ${INCLUDED_JOINS}
    where me.id = $1 order by s.starts_at, s.session_id`,
};

type Row = IncludedRow & {
  session_id: string;
  series_id: string;
  design_plan_id: string | null;
  title: string;
  planned_date: string;
  planned_time: string;
  time_zone: string;
  duration_minutes: number;
  status: string;
  plan_week: number | null;
  version: number;
  local_start: string;
  local_end: string;
  start_offset: number;
  end_offset: number;
};

export async function readWeek(run: StatementRunner, caller: AuthenticatedCaller, query: WeekQuery) {
  const [clinic] = await run<{ time_zone: string }>(ZONE, [caller.id]);
  if (clinic === undefined)
    throw new ProblemException(403, 'The record that the token names is not there or not active.');
  const timeZone = query.timeZone ?? clinic.time_zone;
  const first = Temporal.PlainDate.from(query.from);
  const days = Array.from({ length: 8 }, (_, day) => {
    const date = first.add({ days: day });
    const startsAt = date.toZonedDateTime(timeZone).toInstant().epochMilliseconds;
    return { date: date.toString().replaceAll('-', '/'), startsAt: new Date(startsAt).toISOString() };
  });
  const [startsAt, endsAt] = [days[0]!.startsAt, days[7]!.startsAt];
  const rows = await run<Row>(WEEK, [caller.id, startsAt, endsAt, timeZone]);
  return {
    ...{ timeZone, startsAt, endsAt, days: days.slice(0, 7), isTruncated: rows.length > MAX_SESSIONS },
    sessions: rows.slice(0, MAX_SESSIONS).map(view),
  };
}

function view(row: Row) {
  return {
    ...{ id: Number(row.session_id), seriesId: row.series_id, caregiverId: Number(row.caregiver_id) },
    ...{ clientId: Number(row.client_id), designPlanId: row.design_plan_id && Number(row.design_plan_id) },
    ...{ title: row.title, timeZone: row.time_zone, durationMinutes: row.duration_minutes, status: row.status },
    ...{ position: row.position, planWeek: row.plan_week, version: row.version },
    date: row.planned_date.replaceAll('-', '/'),
    time: row.planned_time,
    startsAt: row.starts_at.toISOString(),
    endsAt: row.ends_at.toISOString(),
    localStart: localTime(row.local_start, row.start_offset),
    localEnd: localTime(row.local_end, row.end_offset),
    ...toPeople(row),
    homework: toHomework(row),
    progress: toProgress(row),
    remindersAhead: toReminders(row),
    conflicts: toConflicts(row),
  };
}

function localTime(text: string, minutes: number) {
  const [date, time] = text.split(' ') as [string, string];
  const parts = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map((part) =>
    String(part).padStart(2, '0'),
  );
  return { date, time, utcOffset: `${minutes < 0 ? '-' : '+'}${parts.join(':')}` };
}

type Listed = Pick<ReturnType<typeof view>, 'id' | 'seriesId' | 'clientId' | 'careProvider'> & {
  homework: { id: number }[];
  books?: { id: number }[];
  remindersAhead: { id: number }[];
  conflicts: { otherSessionId: number }[];
};

/** Returns the records for the audit entry: a Session and its related data. */
export function listAuditRecords({ id, seriesId, clientId, careProvider, ...more }: Listed): string[] {
  return [
    ...[`session/${id}`, `series/${seriesId}`, `client/${clientId}`],
    // In the audit entry of a list, homework is named before people; in that of a week, people come first.
    ...(more.books ? homeworkNames(more) : []),
    `care-provider/${careProvider.id}`,
    ...(more.books ? more.books.map((book) => `book/${book.id}`) : homeworkNames(more)),
    ...more.remindersAhead.map((reminder) => `reminder/${reminder.id}`),
    ...more.conflicts.map(({ otherSessionId }) => `session/${otherSessionId}`),
  ];
}

const homeworkNames = ({ homework }: Pick<Listed, 'homework'>) => homework.map((item) => `homework/${item.id}`);
