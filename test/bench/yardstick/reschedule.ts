import { formatIso, parsePlannedTime, computeSlot, isStorableText } from './calendar.js';
import { toResponse, findOverlaps, timeWarnings, type Rule, type ShownReminder, type ShownSession } from './changes.js';
import { ProblemException } from './problem.js';
import type { AuthenticatedCaller } from './token.js';
import type { StatementRunner } from './transaction.js';

/* Changes the time, texts or duration of one Session (scope "this"), and adapts its unsent reminders. */

export type ChangeBody = {
  title?: string;
  description?: string | null;
  date?: string;
  time?: string;
  durationMinutes?: number;
};

type Row = {
  id: string;
  series_id: string;
  position: number;
  plan_week: number | null;
  caregiver_id: string;
  client_id: string;
  title: string;
  description: string | null;
  planned_date: string;
  planned_time: string;
  time_zone: string;
  duration_minutes: number;
  starts_at: Date;
  status: string;
  version: number;
};
type ReminderRow = {
  id: string;
  homework_id: string | null;
  caregiver_id: string;
  recipient_kind: string;
  recipient_id: string;
  rule: Rule;
  due_at: Date;
  send_at: Date;
  not_after: Date | null;
  status: string;
  reason: string | null;
  message_id: string | null;
  story: object[];
};
type HomeworkRow = { id: string; book_id: string; completed_at: Date | null };

/** Locks the Care Providers and the Client of the series, and then the series. All operations use this order. */
const HOLD = {
  name: 'move-hold',
  text: `
    with caller as materialized (
      select p.id, p.clinic_id from care_provider p join clinic c on c.id = p.clinic_id and c.active
      where p.id = $1 and p.active
    ), seen as materialized (
      select s.* from session s join caller on caller.clinic_id = s.clinic_id
      where s.id = $2 and (s.caregiver_id = $1 or exists (select from client_assignment a
        where a.clinic_id = s.clinic_id and a.care_provider_id = $1 and a.client_id = s.client_id))
    ), provider as materialized (
      select p.id, p.active from care_provider p join (
        select distinct m.clinic_id, m.caregiver_id from session m join seen using (clinic_id, series_id)
      ) member on member.clinic_id = p.clinic_id and member.caregiver_id = p.id
      order by p.id for share of p
    ), held as materialized (
      select k.active from client k join seen on seen.clinic_id = k.clinic_id and seen.client_id = k.id
      where (select count(*) from provider) >= 0 for share of k
    ), series as materialized (
      select r.id, r.design_plan_id, r.revision, r.paused_at from session_series r
      join seen on seen.clinic_id = r.clinic_id and seen.series_id = r.id
      where (select count(*) from held) >= 0 for update of r
    )
    select caller.clinic_id, seen.id, series.id as series_id, series.design_plan_id, series.revision,
      series.paused_at is not null as paused, (select active from held) as has_client,
      array(select id from provider)::text[] as held_ids, array(select id from provider where active)::text[] as active_ids
    from caller left join seen on true left join series on true`,
};

/**
 * Reads the Session again once the locks are held: whether the caller may still see it, and whether all its Care
 * Providers are locked.
 */
const OPEN = {
  name: 'move-open',
  text: `
    select s.*,
      s.caregiver_id = $1 or exists (select from client_assignment a
        where a.clinic_id = s.clinic_id and a.care_provider_id = $1 and a.client_id = s.client_id) as seen,
      not exists (select from session m
        where m.clinic_id = s.clinic_id and m.series_id = s.series_id and m.caregiver_id <> all($4::bigint[])) as all_held,
      coalesce((select json_agg(h order by h.id) from homework h
        where h.clinic_id = s.clinic_id and h.session_id = s.id), '[]') as homework
    from session s where s.clinic_id = $3 and s.id = $2`,
};

const REMINDERS = {
  name: 'move-reminders',
  text: `select * from reminder where clinic_id = $1 and session_id = $2 order by id for update`,
};

const UPDATE = {
  name: 'move-update',
  text: `
    with moved as (
      update session set title = $3, description = $4, planned_date = $5, planned_time = $6, duration_minutes = $7,
        starts_at = $8, ends_at = $9, version = version + $18, updated_at = $10
      where clinic_id = $1 and id = $2
    )
    update reminder set due_at = r.due, send_at = r.send, not_after = r.not_after, story = r.story::jsonb, status = r.status, reason = r.reason,
      message_id = case when r.keeps then message_id end, queued_at = null, settled_at = null
    from unnest($11::bigint[], $12::timestamptz[], $13::timestamptz[], $14::text[], $15::text[], $16::text[], $17::bool[],
      $19::timestamptz[]) as r (id, due, send, story, status, reason, keeps, not_after)
    where reminder.clinic_id = $1 and reminder.id = r.id`,
};

const UNSENT = new Set(['PENDING', 'QUEUED', 'DEAD', 'WITHDRAWN']);

type Held = {
  clinic_id: string;
  id: string | null;
  series_id: string;
  design_plan_id: string | null;
  revision: number | null;
  paused: boolean;
  has_client: boolean;
  held_ids: string[];
  active_ids: string[];
};

export async function changeSession(
  run: StatementRunner,
  caller: AuthenticatedCaller,
  id: number,
  { seenVersion, body, zone }: { seenVersion: number; body: ChangeBody; zone: string | undefined },
) {
  const [held] = await run<Held>(HOLD, [caller.id, id]);
  if (held === undefined)
    throw new ProblemException(403, 'The record that the token names is not there or not active.');
  if (held.id === null) throw new ProblemException(404, 'There is no such resource.');
  const clinicId = Number(held.clinic_id);
  type Open = Row & { seen: boolean; all_held: boolean; homework: HomeworkRow[] };
  const [session] = await run<Open>(OPEN, [caller.id, id, clinicId, held.held_ids]);
  const reminders = await run<ReminderRow>(REMINDERS, [clinicId, id]);
  if (session?.seen !== true) throw new ProblemException(404, 'There is no such resource.');
  if (!session.all_held) throw new ProblemException(409, 'The series is being handed over to another Care Provider.');
  if (session.version !== seenVersion) throw new ProblemException(412, 'The record has changed since it was read.');
  const now = Temporal.Now.instant();
  const shown = changed(session, body, zone);
  requirePresent(held, shown, now);
  const followed = reminders.map((reminder) => follow(reminder, shown, session.homework, now));
  const touched = followed.filter(({ isTouched }) => isTouched);
  await run(UPDATE, [
    ...[clinicId, id, shown.title, shown.description, shown.planned_date, shown.planned_time, shown.duration_minutes],
    ...[formatIso(shown.startsAt), formatIso(shown.endsAt), formatIso(now)],
    touched.map(({ row }) => row.id),
    touched.map(({ due }) => formatIso(due)),
    touched.map(({ send }) => formatIso(send)),
    touched.map(({ story }) => JSON.stringify(story)),
    touched.map(({ status }) => status),
    touched.map(({ reason }) => reason),
    touched.map(({ status }) => status === 'WITHDRAWN'),
    shown.version - session.version,
    touched.map(({ notAfter }) => notAfter && formatIso(notAfter)),
  ]);
  const show = ({ row, due, status, reason }: Followed): ShownReminder => {
    return { kind: row.recipient_kind, rule: row.rule, due, status, reason };
  };
  shown.reminders = followed.filter(({ row }) => row.rule.kind !== 'HOMEWORK').map(show);
  shown.homework = session.homework.map((item) => ({
    bookId: Number(item.book_id),
    completed: item.completed_at !== null,
    reminders: followed.filter(({ row }) => Number(row.homework_id) === Number(item.id)).map(show),
  }));
  const head = {
    ...{ seriesId: held.series_id, designPlanId: held.design_plan_id && Number(held.design_plan_id) },
    ...{ revision: held.revision, paused: held.paused },
  };
  return toResponse(head, [shown], await findOverlaps(run, clinicId, [id]), timeWarnings([shown], now));
}

function changed(row: Row, body: ChangeBody, zone: string | undefined): ShownSession {
  const planned = `${row.planned_date}T${row.planned_time}`;
  const isMoved = body.date !== undefined || body.time !== undefined;
  if (isMoved && row.status !== 'SCHEDULED' && row.status !== 'PAUSED')
    throw new ProblemException(409, `A Session that is ${row.status} cannot be moved.`);
  const old = Temporal.Instant.fromEpochMilliseconds(row.starts_at.getTime());
  const there = zone === undefined ? planned : old.toZonedDateTimeISO(zone).toPlainDateTime().toString().slice(0, 16);
  const asked = parsePlannedTime(body.date ?? there.slice(0, 10), body.time ?? there.slice(11));
  const local = zone === undefined ? asked : asked.toZonedDateTime(zone).withTimeZone(row.time_zone).toPlainDateTime();
  const slot = isMoved
    ? computeSlot(local, row.time_zone)
    : { date: row.planned_date, time: row.planned_time, startsAt: old };
  const minutes = body.durationMinutes ?? row.duration_minutes;
  const endsAt = slot.startsAt.add({ minutes });
  if (!isStorableText(slot.startsAt) || !isStorableText(endsAt))
    throw new ProblemException(400, 'Malformed', [
      { pointer: '/date', detail: 'every Session must be in the years 1 to 9999' },
    ]);
  const title = body.title?.trim() ?? row.title;
  const description = body.description === undefined ? row.description : body.description;
  const hasNewDetails = title !== row.title || description !== row.description || minutes !== row.duration_minutes;
  const hasNewStart = slot.startsAt.epochMilliseconds !== old.epochMilliseconds;
  return {
    // New details increment the version, and a new start increments it as well.
    version: row.version + Number(hasNewDetails) + Number(hasNewStart),
    ...{ id: Number(row.id), position: row.position, plan_week: row.plan_week, caregiver_id: Number(row.caregiver_id) },
    ...{ client_id: Number(row.client_id), title, description, time_zone: row.time_zone },
    ...{ duration_minutes: minutes, status: row.status, planned_date: slot.date, planned_time: slot.time },
    ...{ startsAt: slot.startsAt, endsAt, reminders: [], homework: [] },
  };
}

/** Refuses a Session with a deactivated Client or Care Provider. */
function requirePresent(held: Held, session: ShownSession, now: Temporal.Instant): void {
  const remains = session.status === 'PAUSED' || session.startsAt.epochMilliseconds > now.epochMilliseconds;
  if (!remains) return;
  if (!held.has_client || !held.active_ids.includes(String(session.caregiver_id)))
    throw new ProblemException(409, 'Who the Session is with has left: it cannot be scheduled.');
}

type Followed = {
  row: ReminderRow;
  due: Temporal.Instant;
  send: Temporal.Instant;
  notAfter: Temporal.Instant | null;
  status: string;
  reason: string | null;
  story: object[];
  isTouched: boolean;
};

/**
 * Returns a reminder as it is after the change of its Session. Sent reminders do not change. Unlike the product, the
 * yardstick plans no successors for them, because the seeded Sessions have no sent reminders.
 */
function follow(row: ReminderRow, session: ShownSession, homework: HomeworkRow[], now: Temporal.Instant): Followed {
  const before = Temporal.Instant.fromEpochMilliseconds(row.due_at.getTime());
  const send = Temporal.Instant.fromEpochMilliseconds(row.send_at.getTime());
  const { status, reason, story } = row;
  const limit = row.not_after && Temporal.Instant.fromEpochMilliseconds(row.not_after.getTime());
  if (!UNSENT.has(status)) return { row, due: before, send, notAfter: limit, status, reason, story, isTouched: false };
  const due = dueOf(row, session, before);
  const notAfter = limitOf(row, session, due);
  const hasMoved = due.epochMilliseconds !== before.epochMilliseconds;
  const against = reasonAgainst(row, session, homework, due);
  const isMissed = status === 'WITHDRAWN' && due.epochMilliseconds <= now.epochMilliseconds;
  const told = hasMoved
    ? [...story, { at: formatIso(now), what: 'MOVED', from: formatIso(before), to: formatIso(due) }]
    : [...story];
  const withdrawal = against ?? (isMissed ? 'MISSED' : null);
  if (withdrawal !== null && (status !== 'WITHDRAWN' || reason !== withdrawal))
    told.push({ at: formatIso(now), what: 'WITHDRAWN', reason: withdrawal });
  else if (withdrawal === null && status === 'WITHDRAWN') told.push({ at: formatIso(now), what: 'RESTORED' });
  const isAwaited = withdrawal === null && (status === 'WITHDRAWN' || hasMoved);
  const next = withdrawal === null ? (isAwaited ? 'PENDING' : status) : 'WITHDRAWN';
  return {
    ...{ row, due, send: hasMoved || (isAwaited && status === 'WITHDRAWN') ? due : send, status: next },
    ...{ notAfter, reason: withdrawal ?? (isAwaited ? null : reason), story: told },
    isTouched: told.length > story.length || notAfter?.epochMilliseconds !== limit?.epochMilliseconds,
  };
}

function dueOf(row: ReminderRow, session: ShownSession, before: Temporal.Instant): Temporal.Instant {
  const { rule } = row;
  // A `remindDays` reminder counts from the creation of the Session, so a move does not change it.
  if (rule.kind === 'REMIND_DAYS') return before;
  if (rule.kind === 'AROUND_START') {
    return session.startsAt.toZonedDateTimeISO(session.time_zone).add(Temporal.Duration.from(rule.offset!)).toInstant();
  }
  const day = Temporal.PlainDateTime.from(`${session.planned_date}T${rule.time}`).add({ days: rule.reminderDay! - 1 });
  return computeSlot(day, rule.timeZone!).startsAt;
}

/** Returns the time after which a reminder is not sent: the start of its Session if the reminder is due before it. */
function limitOf(row: ReminderRow, session: ShownSession, due: Temporal.Instant): Temporal.Instant | null {
  if (row.rule.kind === 'HOMEWORK') return null;
  return due.epochMilliseconds < session.startsAt.epochMilliseconds ? session.startsAt : null;
}

function reasonAgainst(
  { rule, homework_id }: ReminderRow,
  session: ShownSession,
  homework: readonly HomeworkRow[],
  due: Temporal.Instant,
): string | null {
  if (session.status === 'CANCELLED') return 'SESSION_CANCELLED';
  if (session.status === 'PAUSED') return 'SERIES_PAUSED';
  if (rule.kind === 'HOMEWORK') {
    if (homework_id === null) return 'HOMEWORK_REMOVED';
    const isDone = homework.some(({ id, completed_at }) => Number(id) === Number(homework_id) && completed_at !== null);
    return isDone ? 'HOMEWORK_DONE' : null;
  }
  const isAfterStart = rule.kind === 'AROUND_START' && due.epochMilliseconds > session.startsAt.epochMilliseconds;
  return session.status !== 'SCHEDULED' && !isAfterStart ? 'SESSION_OVER' : null;
}
