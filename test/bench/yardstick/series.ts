import { randomUUIDv7 } from 'node:crypto';
import { formatIso, isStorableText, parsePlannedTime, computeSlot, type Slot } from './calendar.js';
import { blankToNull, type Week } from './plans.js';
import { ProblemException } from './problem.js';
import type { AuthenticatedCaller } from './token.js';
import type { StatementRunner } from './transaction.js';

/* Creates Sessions and applies plans with one look-up and one statement that writes all rows. */

export type SeriesBody = {
  clientId: number;
  date: string;
  time: string;
  caregiverId?: number | null;
  intervalDays?: number | null;
  remindDays?: number | null;
  reminders?: string[] | null;
  durationMinutes?: number | null;
};
export type SessionsBody = SeriesBody & {
  title?: string | null;
  description?: string | null;
  clinicId?: number | null;
  sessionCount?: number | null;
  bookIdList?: number[] | null;
  designPlanId?: number | null;
};
export type ApplyBody = SeriesBody & { fromWeek?: number | null; toWeek?: number | null };

/** The records that a request refers to. The Care Provider and the Client are locked, in this order. */
export type LookedUpReferences = {
  clinic_id: string;
  time_zone: string;
  client_zone: string | null;
  has_care_provider: boolean;
  has_client: boolean;
  is_assigned: boolean;
  plan_id: string | null;
  plan_name: string | null;
  appointment_title: string | null;
  appointment_desc: string | null;
  revision: number | null;
  archived: boolean;
  weeks: Week[] | null;
  books: string[];
};

export type Homework = { bookId: number; reminders: { reminderDay: number; time: string }[] };
export type SessionToWrite = {
  position: number;
  planWeek: number | null;
  slot: Slot;
  endsAt: Temporal.Instant;
  homework: Homework[];
};
export type Reminder = {
  position: number;
  bookId: number | null;
  kind: 'CLIENT' | 'CARE_PROVIDER';
  rule: object;
  due: Temporal.Instant;
};
export type Series = {
  id: string;
  clinicId: number;
  caregiverId: number;
  clientId: number;
  planId: number | null;
  revision: number | null;
  title: string;
  description: string | null;
  zone: string;
  minutes: number;
  orders: SessionToWrite[];
  reminders: Reminder[];
};

/** Parameter $6 determines whether to include the Books of the plan. */
const LOOK_UP = {
  name: 'series-look-up',
  text: `
    with caller as materialized (
      select p.id, p.clinic_id, c.time_zone from care_provider p join clinic c on c.id = p.clinic_id and c.active
      where p.id = $1 and p.active
    ), provider as materialized (
      select active from care_provider where clinic_id = (select clinic_id from caller) and id = $2 for share
    ), held as materialized (
      select active, time_zone from client where clinic_id = (select clinic_id from caller) and id = $3
        and (select count(*) from provider) >= 0 for share
    )
    select caller.clinic_id, caller.time_zone, (select time_zone from held) as client_zone,
      coalesce((select active from provider), false) as has_care_provider,
      coalesce((select active from held), false) as has_client,
      exists (select from client_assignment a
        where a.clinic_id = caller.clinic_id and a.care_provider_id = $1 and a.client_id = $3) as is_assigned,
      plan.id as plan_id, plan.plan_name, plan.appointment_title, plan.appointment_desc, plan.revision,
      plan.archived_at is not null as archived, case when $6 then plan.weeks end as weeks,
      array(select b.id from book b
        where (b.id = any($5::bigint[]) or $6 and b.id in (
            select book::bigint from jsonb_path_query(plan.weeks, '$[*].assignments[*].bookId') book))
          and (b.clinic_id = caller.clinic_id or b.clinic_id is null) and b.active)::text[] as books
    from caller left join design_plan plan on plan.clinic_id = caller.clinic_id and plan.id = $4`,
};

/** Rows get their IDs in the given order, because responses list them by ID. */
const WRITE = {
  name: 'series-write',
  text: `
    with series as (
      insert into session_series (id, clinic_id, caregiver_id, design_plan_id, revision, from_week, to_week, interval_days,
        remind_days, reminders, created_at)
      values ($1, $2, $3, $5, $6, $7, $8, $9, $16, $10, $17)
    ), made as (
      insert into session (clinic_id, series_id, position, caregiver_id, client_id, design_plan_id, plan_week, title,
        description, planned_date, planned_time, time_zone, duration_minutes, starts_at, ends_at, status,
        version, created_at, updated_at)
      select $2, $1, slot.position, $3, $4, $5, slot.week, $11, $12, slot.date, $13, $14, $15, slot.starts, slot.ends,
        'SCHEDULED', 1, $17, $17
      from unnest($18::int[], $19::int[], $20::text[], $21::timestamptz[], $22::timestamptz[])
        as slot (position, week, date, starts, ends)
      order by slot.position
      returning id, position, starts_at
    ), given as (
      insert into homework (clinic_id, session_id, book_id)
      select $2, made.id, book.id
      from unnest($23::int[], $24::bigint[]) with ordinality as book (position, id, place) join made using (position)
      order by book.place
      returning id, session_id, book_id
    ), reminders as (
      insert into reminder (clinic_id, session_id, homework_id, caregiver_id, recipient_kind, recipient_id, rule, due_at,
        send_at, not_after, status, created_at, story)
      select $2, made.id, given.id, $3, r.kind, case r.kind when 'CLIENT' then $4 else $3 end, r.rule::jsonb, r.due,
        r.due, case when r.book_id is null and r.due < made.starts_at then made.starts_at end, 'PENDING', $17, '[]'
      from unnest($25::int[], $26::bigint[], $27::text[], $28::text[], $29::timestamptz[]) with ordinality
        as r (position, book_id, kind, rule, due, place)
      join made using (position) left join given on given.session_id = made.id and given.book_id = r.book_id
      order by r.place
    )
    select id from made order by position`,
};

export async function lookUpReferences(
  run: StatementRunner,
  caller: AuthenticatedCaller,
  body: SeriesBody,
  { planId, bookIds, withWeeks }: { planId: number | null; bookIds: readonly number[]; withWeeks: boolean },
): Promise<LookedUpReferences> {
  const values = [caller.id, body.caregiverId || caller.id, body.clientId, planId, bookIds, withWeeks];
  const [found] = await run<LookedUpReferences>(LOOK_UP, values);
  if (found === undefined)
    throw new ProblemException(403, 'The record that the token names is not there or not active.');
  return found;
}

/** Returns the errors in the Care Provider and the Client of a Session. */
export function findParticipantErrors(found: LookedUpReferences): { pointer: string; detail: string }[] {
  return [
    ...(found.has_client && found.is_assigned
      ? []
      : [{ pointer: '/clientId', detail: 'must be one of your assigned Clients' }]),
    ...(found.has_care_provider ? [] : [{ pointer: '/caregiverId', detail: 'must be a Care Provider of the Clinic' }]),
  ];
}

/** Inserts a series with its Sessions, homework and reminders. Returns the IDs of the Sessions by position. */
export async function insertSeries(
  run: StatementRunner,
  series: Series,
  body: ApplyBody,
  now: Temporal.Instant,
): Promise<number[]> {
  const { orders, reminders } = series;
  const homework = orders.flatMap(({ position, homework }) => homework.map(({ bookId }) => ({ position, bookId })));
  const rows = await run<{ id: string }>(WRITE, [
    ...[series.id, series.clinicId, series.caregiverId, series.clientId, series.planId, series.revision],
    ...[body.fromWeek ?? null, body.toWeek ?? null, body.intervalDays ?? 7, JSON.stringify(offsetsOf(body))],
    ...[
      series.title,
      series.description,
      body.time,
      series.zone,
      series.minutes,
      body.remindDays ?? null,
      formatIso(now),
    ],
    orders.map(({ position }) => position),
    orders.map(({ planWeek }) => planWeek),
    orders.map(({ slot }) => slot.date),
    orders.map(({ slot }) => formatIso(slot.startsAt)),
    orders.map(({ endsAt }) => formatIso(endsAt)),
    homework.map(({ position }) => position),
    homework.map(({ bookId }) => bookId),
    reminders.map(({ position }) => position),
    reminders.map(({ bookId }) => bookId),
    reminders.map(({ kind }) => kind),
    reminders.map(({ rule }) => JSON.stringify(rule)),
    reminders.map(({ due }) => formatIso(due)),
  ]);
  return rows.map(({ id }) => Number(id));
}

export async function createSessions(
  run: StatementRunner,
  caller: AuthenticatedCaller,
  body: SessionsBody,
  zone: string | undefined,
) {
  const bookIds = [...new Set(body.bookIdList)];
  const planId = body.designPlanId || null;
  const found = await lookUpReferences(run, caller, body, { planId, bookIds, withWeeks: false });
  const clinicId = Number(found.clinic_id);
  if (body.clinicId && body.clinicId !== clinicId)
    throw new ProblemException(403, 'Sessions can only be created at your own Clinic.');
  const title = blankToNull(body.title) ?? found.appointment_title;
  const usable = new Set(found.books.map(Number));
  const errors = findParticipantErrors(found);
  if (planId !== null && found.plan_id === null)
    errors.push({ pointer: '/designPlanId', detail: 'must be a Design Plan of the Clinic' });
  body.bookIdList?.forEach((bookId, index) => {
    if (!usable.has(bookId))
      errors.push({ pointer: `/bookIdList/${index}`, detail: 'must be a Book that the Clinic may use' });
  });
  if (errors.length > 0) throw new ProblemException(422, 'Refused', errors);
  if (title === null) throw new ProblemException(400, 'Malformed', [{ pointer: '/title', detail: 'must be given' }]);
  const now = Temporal.Now.instant();
  const homework = bookIds.map((bookId): Homework => ({ bookId, reminders: [] }));
  const weeks = Array.from({ length: body.sessionCount || 1 }, () => ({ planWeek: null, homework }));
  const series = computeSeries(found, caller, body, { weeks, zone: zone ?? found.time_zone, title, now });
  series.planId = planId;
  series.description = blankToNull(body.description) ?? found.appointment_desc;
  return { seriesId: series.id, ids: await insertSeries(run, series, body, now) };
}

/** Computes the Sessions of a series and their reminders, without writing them. */
export function computeSeries(
  found: LookedUpReferences,
  caller: AuthenticatedCaller,
  body: SeriesBody,
  given: { weeks: Pick<SessionToWrite, 'planWeek' | 'homework'>[]; zone: string; title: string; now: Temporal.Instant },
): Series {
  const { weeks, zone, title, now } = given;
  const minutes = body.durationMinutes ?? 50;
  const first = parsePlannedTime(body.date, body.time);
  const orders = weeks.map((week, index): SessionToWrite => {
    const slot = computeSlot(index === 0 ? first : first.add({ days: index * (body.intervalDays ?? 7) }), zone);
    return { ...week, position: index + 1, slot, endsAt: slot.startsAt.add({ minutes }) };
  });
  const clientZone = found.client_zone ?? found.time_zone;
  const reminders = [...aroundSessions(orders, body, zone, now), ...ofHomework(orders, clientZone)];
  if (!orders.every(({ slot, endsAt }) => isStorableText(slot.startsAt) && isStorableText(endsAt)))
    throw new ProblemException(400, 'Malformed', [
      { pointer: '/date', detail: 'every Session must be in the years 1 to 9999' },
    ]);
  if (!reminders.every(({ due }) => isStorableText(due)))
    throw new ProblemException(400, 'Malformed', [
      { pointer: '/reminders', detail: 'must be due in the years 1 to 9999' },
    ]);
  return {
    ...{ id: randomUUIDv7(), clinicId: Number(found.clinic_id), caregiverId: body.caregiverId || caller.id },
    ...{ clientId: body.clientId, planId: null, revision: null, title, description: null, zone, minutes },
    ...{ orders, reminders },
  };
}

function offsetsOf({ reminders }: SeriesBody): string[] {
  return [...new Set(reminders)];
}

function aroundSessions(
  orders: readonly SessionToWrite[],
  body: SeriesBody,
  zone: string,
  now: Temporal.Instant,
): Reminder[] {
  const days = body.remindDays ?? undefined;
  const afterCreation = days === undefined ? undefined : now.toZonedDateTimeISO(zone).add({ days }).toInstant();
  const offsets = offsetsOf(body).map((offset) => ({ offset, duration: Temporal.Duration.from(offset) }));
  return orders.flatMap(({ position, slot }) => {
    const local = offsets.length > 0 ? slot.startsAt.toZonedDateTimeISO(zone) : undefined;
    const planned = [
      ...(afterCreation === undefined ? [] : [{ rule: { kind: 'REMIND_DAYS', days }, due: afterCreation }]),
      ...offsets.map(({ offset, duration }) => {
        return { rule: { kind: 'AROUND_START', offset }, due: local!.add(duration).toInstant() };
      }),
    ];
    return planned.flatMap(({ rule, due }) => [
      { position, bookId: null, kind: 'CLIENT' as const, rule, due },
      { position, bookId: null, kind: 'CARE_PROVIDER' as const, rule, due },
    ]);
  });
}

function ofHomework(orders: readonly SessionToWrite[], timeZone: string): Reminder[] {
  return orders.flatMap(({ position, slot, homework }) =>
    homework.flatMap(({ bookId, reminders }) =>
      reminders.map(({ reminderDay, time }) => ({
        position,
        bookId,
        kind: 'CLIENT' as const,
        rule: { kind: 'HOMEWORK', bookId, reminderDay, time, timeZone },
        due: computeSlot(Temporal.PlainDateTime.from(`${slot.date}T${time}`).add({ days: reminderDay - 1 }), timeZone)
          .startsAt,
      })),
    ),
  );
}
