import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { ClientPrincipal, StaffPrincipal } from '../../shared/access/index.js';
import { formatEpochMilliseconds } from '../../shared/persistence/index.js';
import { toLocalDate } from '../../shared/time/index.js';
import { longId } from '../../shared/validation/index.js';
import { toOptOutMatch } from '../domain/preference/opt-out-match.js';
import { RECIPIENT_KINDS, type RecipientKind } from '../domain/reminder-kinds.js';
import { isAfterDueDay } from '../domain/session-data.js';

/** The maximum number of reminders shown per Session. */
export const MAX_UPCOMING_REMINDERS_PER_SESSION = 20;

const instant = (description: string) => z.string().meta({ description, example: '2027-03-21T09:30:00.000Z' });

/** A reminder that is still to be sent, as included in its Session. */
export const upcomingReminderSchema = z
  .object({
    id: longId('Id of the record.'),
    homeworkId: longId('The homework that the reminder is about. Null if it is about the Session.', 21).nullable(),
    recipientKind: z
      .enum(RECIPIENT_KINDS)
      .meta({ description: 'Whether the recipient is a Client or a Care Provider.', example: 'CLIENT' }),
    dueAt: instant('Due time.'),
    sendAt: instant('The due time, unless quiet hours or a retry have changed it.'),
  })
  .meta({ id: 'UpcomingReminder', description: 'An upcoming reminder of a Session or its homework.' });
export type UpcomingReminder = z.output<typeof upcomingReminderSchema>;

/**
 * ID of the reminder, Session ID, homework ID, recipient, due time, send time, and time of the redrive. Times are in
 * milliseconds.
 */
export type UpcomingReminderRow = [number, number, number | null, RecipientKind, number, number, number | null];

/** A caller who reads the reminders of Sessions. */
export type ReminderViewer = ClientPrincipal | StaffPrincipal;

/**
 * Builds an SQL expression for a JSON array of `UpcomingReminderRow`: the unsent reminders of Sessions of one Clinic,
 * without those that their recipients have opted out of, sorted by due time. For each Session, these are the next
 * `MAX_UPCOMING_REMINDERS_PER_SESSION` of the Session itself, and as many of its homework, because the caller removes
 * homework reminders that are due too late. `offset 0` makes PostgreSQL find the reminders of each Session by the index of
 * Sessions. Otherwise, it may read all reminders of a Clinic or Care Provider once for each Session.
 *
 * @param sessionIds IDs of Sessions that the viewer may see
 * @param viewer the caller, who may not be allowed to see all reminders of these Sessions
 */
export function buildUpcomingRemindersSql(
  clinicId: number,
  sessionIds: readonly number[],
  viewer: ReminderViewer,
): RawBuilder<unknown> {
  return sql`(
    select json_agg(json_build_array(r.id, r.session_id, r.homework_id, r.recipient_kind,
      (extract(epoch from r.due_at) * 1000)::int8, (extract(epoch from r.send_at) * 1000)::int8,
      (extract(epoch from r.redriven_at) * 1000)::int8) order by r.due_at, r.id)
    from unnest(${sessionIds}::bigint[]) as wanted(session_id), lateral (
      select *, row_number() over (partition by homework_id is null order by due_at, id) as place from (
        select id, session_id, homework_id, caregiver_id, recipient_kind, recipient_id, due_at, send_at, redriven_at, status
        from reminder
        where clinic_id = ${clinicId} and session_id = wanted.session_id offset 0) as own
      where status in ('PENDING', 'QUEUED') ${toVisibleReminders(viewer)} and not exists (
        select from reminder_preference p
        where p.clinic_id = ${clinicId} and ${sql.raw(toOptOutMatch('p', 'own'))})) r
    where r.place <= ${sql.lit(MAX_UPCOMING_REMINDERS_PER_SESSION)})`;
}

/**
 * Builds the condition for the reminders that the viewer may see. Clients see their own reminders. Care Providers see
 * the reminders of their own Sessions, as in `ReminderReader`.
 */
function toVisibleReminders(viewer: ReminderViewer): RawBuilder<unknown> {
  if (viewer.role === 'CLINIC') return sql``;
  if (viewer.role === 'CLIENT') return sql`and recipient_kind = 'CLIENT'`;
  return sql`and caregiver_id = ${viewer.caregiverId}`;
}

/**
 * Whether the reminder is one of homework that is not sent because it is due after the date of the next Session.
 *
 * @param nextStart the start of the next Session, in milliseconds
 * @param timeZone the time zone of the reminder's Session
 */
export function isAfterNextSession(row: UpcomingReminderRow, nextStart: number, timeZone: string): boolean {
  const [, , homeworkId, , due, , redriven] = row;
  // Dates are computed only if they may differ, because lists contain hundreds of reminders.
  if (homeworkId === null || due <= nextStart) return false;
  const toInstant = (milliseconds: number) => Temporal.Instant.fromEpochMilliseconds(milliseconds);
  const reminder = { dueAt: toInstant(due), redrivenAt: redriven === null ? null : toInstant(redriven) };
  return isAfterDueDay(reminder, { day: toLocalDate(toInstant(nextStart), timeZone), timeZone });
}

export function toUpcomingReminder(row: UpcomingReminderRow): UpcomingReminder {
  const [id, , homeworkId, recipientKind, dueAt, sendAt] = row;
  return {
    id,
    homeworkId,
    recipientKind,
    dueAt: formatEpochMilliseconds(dueAt),
    sendAt: formatEpochMilliseconds(sendAt),
  };
}
