import { parseDateTime, toInstant } from '../../../src/shared/time/index.js';
import { formatIso, isStorableText } from './calendar.js';
import { ProblemException } from './problem.js';
import type { AuthenticatedCaller } from './token.js';
import type { StatementRunner } from './transaction.js';

export type Assignment = { bookId: number; assignReminds: { reminderDay: number; time: string }[] };
export type Week = { name: string; ordering: number; assignments: Assignment[] };

export type PlanBody = {
  planName: string;
  createdDate?: string | null;
  appointmentTitle?: string | null;
  appointmentDesc?: string | null;
  caregiverId?: number | null;
  clinicId?: number | null;
  template?: boolean | null;
  weeks?: { name?: string | null; ordering?: number | null; assignments?: Partial<Assignment>[] | null }[] | null;
};

const LOOK_UP = {
  name: 'plan-look-up',
  text: `
    select c.time_zone,
      $2::bigint is null or exists (
        select from care_provider p where p.clinic_id = c.id and p.id = $2 and p.active) as has_care_provider,
      array(select b.id from book b
        where b.id = any($3::bigint[]) and (b.clinic_id = c.id or b.clinic_id is null) and b.active)::text[] as books
    from clinic c where c.id = $1 and c.active`,
};

const INSERT = {
  name: 'plan-insert',
  text: `
    insert into design_plan (clinic_id, caregiver_id, plan_name, created_date, appointment_title, appointment_desc, weeks,
      revision, version, template)
    values ($1, $2, $3, $4, $5, $6, $7, 1, 1, $8) returning id`,
};

const READ = {
  name: 'plan-read',
  text: `
    select c.id as clinic_id, p.id, p.plan_name, p.created_date, p.appointment_title, p.appointment_desc, p.caregiver_id,
      p.revision, p.version, p.template, p.archived_at is not null as archived, p.weeks
    from clinic c left join design_plan p on p.clinic_id = c.id and p.id = $2
    where c.id = $1 and c.active`,
};

/** Creates a plan and returns its ID. */
export async function createPlan(
  run: StatementRunner,
  caller: AuthenticatedCaller,
  body: PlanBody,
  zone: string | undefined,
): Promise<number> {
  const weeks = weeksOf(body);
  const bookIds = [...new Set(weeks.flatMap((week) => week.assignments.map(({ bookId }) => bookId)))];
  const caregiverId = body.caregiverId || null;
  type Found = { time_zone: string; has_care_provider: boolean; books: string[] };
  const [found] = await run<Found>(LOOK_UP, [caller.id, caregiverId, bookIds]);
  if (found === undefined)
    throw new ProblemException(403, 'The record that the token names is not there or not active.');
  if (body.clinicId && body.clinicId !== caller.id)
    throw new ProblemException(403, 'A plan can only be written for your own Clinic.');
  requireUsable(weeks, found);
  const written = body.createdDate == null ? undefined : parseDateTime(body.createdDate);
  const created = written === undefined ? Temporal.Now.instant() : toInstant(written, zone ?? found.time_zone);
  if (!isStorableText(created))
    throw new ProblemException(400, 'Malformed', [
      { pointer: '/createdDate', detail: 'must be in the years 1 to 9999' },
    ]);
  const [row] = await run<{ id: string }>(INSERT, [
    ...[caller.id, caregiverId, body.planName.trim(), formatIso(created), blankToNull(body.appointmentTitle)],
    ...[blankToNull(body.appointmentDesc), JSON.stringify(weeks), body.template ?? false],
  ]);
  return Number(row!.id);
}

export async function readPlan(run: StatementRunner, caller: AuthenticatedCaller, id: number) {
  type Found = Record<'id' | 'caregiver_id' | 'appointment_title' | 'appointment_desc', string | null> & {
    plan_name: string;
    created_date: Date;
    revision: number;
    version: number;
    template: boolean;
    archived: boolean;
    weeks: Week[];
  };
  const [plan] = await run<Found>(READ, [caller.id, id]);
  if (plan === undefined)
    throw new ProblemException(403, 'The record that the token names is not there or not active.');
  if (plan.id === null) throw new ProblemException(404, 'There is no such resource.');
  const body = {
    id,
    planName: plan.plan_name,
    createdDate: plan.created_date.toISOString(),
    appointmentTitle: plan.appointment_title,
    appointmentDesc: plan.appointment_desc,
    clinicId: caller.id,
    caregiverId: plan.caregiver_id && Number(plan.caregiver_id),
    revision: plan.revision,
    version: plan.version,
    template: plan.template,
    archived: plan.archived,
    weeks: plan.weeks,
  };
  return { version: plan.version, body };
}

export function blankToNull(text: string | null | undefined): string | null {
  return text == null || text.trim() === '' ? null : text;
}

/** Returns the weeks as they are stored: complete and in order. */
function weeksOf({ weeks }: PlanBody): Week[] {
  const placed = (weeks ?? []).map(({ name, ordering, assignments }, index): Week => {
    const place = ordering ?? index + 1;
    return {
      name: blankToNull(name) ?? `Week ${place}`,
      ordering: place,
      assignments: (assignments ?? []).map(({ bookId, assignReminds }) => ({
        bookId: bookId!,
        assignReminds: (assignReminds ?? []).map(({ reminderDay, time }) => ({ reminderDay: reminderDay || 1, time })),
      })),
    };
  });
  if (new Set(placed.map(({ ordering }) => ordering)).size < placed.length)
    throw new ProblemException(400, 'Malformed', [
      { pointer: '/weeks', detail: 'must not have two weeks of the same ordering' },
    ]);
  return placed.sort((a, b) => a.ordering - b.ordering);
}

function requireUsable(weeks: readonly Week[], found: { has_care_provider: boolean; books: string[] }): void {
  const errors: { pointer: string; detail: string }[] = [];
  if (!found.has_care_provider)
    errors.push({ pointer: '/caregiverId', detail: 'must be a Care Provider of the Clinic' });
  const usable = new Set(found.books.map(Number));
  weeks.forEach((week, w) =>
    week.assignments.forEach(({ bookId }, a) => {
      if (usable.has(bookId)) return;
      errors.push({ pointer: `/weeks/${w}/assignments/${a}/bookId`, detail: 'must be a Book that the Clinic may use' });
    }),
  );
  if (errors.length > 0) throw new ProblemException(422, 'Refused', errors);
}
