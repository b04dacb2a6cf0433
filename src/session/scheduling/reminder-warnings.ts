import { isAfterDueDay, type Reminder } from '../../reminder/index.js';
import { formatInstant } from '../../shared/persistence/index.js';
import { formatSlashDate } from '../../shared/time/index.js';
import { findNextSessionDate } from '../domain/series-order.js';
import type { Session } from '../domain/session.entity.js';
import type { ScheduleWarning } from '../domain/schedule-warning.js';

/** A Session, and the day of the next one, until which its homework is to be done; null: it is the last. */
type SessionWithNextDate = { session: Session; day: Temporal.PlainDate | null };

/**
 * What is worth telling of reminders that were planned or changed just now.
 *
 * @param members of the series, for the day until which homework is to be done
 */
export function findReminderWarnings(
  reminders: readonly Reminder[],
  sessions: readonly Session[],
  members: readonly Session[],
  now: Temporal.Instant,
): ScheduleWarning[] {
  // Of each Session once: a plan may have hundreds of reminders for it.
  const asked = new Set(reminders.map(({ sessionId }) => sessionId));
  const due = sessions
    .filter(({ id }) => asked.has(id))
    .map((session): [number, SessionWithNextDate] => [
      session.id,
      { session, day: findNextSessionDate(session, members) },
    ]);
  const bySession = new Map(due);
  return reminders.flatMap((reminder) => findWarningsOfReminder(reminder, bySession.get(reminder.sessionId), now));
}

function findWarningsOfReminder(
  reminder: Reminder,
  due: SessionWithNextDate | undefined,
  now: Temporal.Instant,
): ScheduleWarning[] {
  const { rule } = reminder;
  const about = {
    position: due?.session.position,
    ...(rule.kind === 'HOMEWORK' ? { bookId: rule.bookId } : {}),
  };
  const warnings = findDueTimeWarnings(reminder, now);
  if (due !== undefined) warnings.push(...findHomeworkWarnings(reminder, due, now));
  return warnings.map((warning) => ({ ...warning, ...about }));
}

/** A reminder before the Session that gives the homework, or after the day until which it is to be done. */
function findHomeworkWarnings(
  { rule, status, dueAt }: Reminder,
  { session: { startsAt, timeZone }, day }: SessionWithNextDate,
  now: Temporal.Instant,
): ScheduleWarning[] {
  if (rule.kind !== 'HOMEWORK' || status !== 'PENDING' || isBefore(dueAt, now)) return [];
  if (isBefore(dueAt, startsAt))
    return [{ kind: 'BEFORE_SESSION', detail: 'A reminder is due before the Session gives the homework.' }];
  if (day === null || !isAfterDueDay(dueAt, { day, timeZone })) return [];
  const due = formatSlashDate(day.toString());
  return [
    { kind: 'AFTER_DUE', detail: `A reminder is due after ${due}, the day of the next Session: it is not sent.` },
  ];
}

function findDueTimeWarnings(reminder: Reminder, now: Temporal.Instant): ScheduleWarning[] {
  const { status, reason, settledAt, dueAt } = reminder;
  const isNew = settledAt?.epochMilliseconds === now.epochMilliseconds;
  if (status === 'SKIPPED' && reason === 'PAST_WHEN_PLANNED' && isNew)
    return [{ kind: 'REMINDER_IN_THE_PAST', detail: PAST }];
  if (status === 'SKIPPED' && reason === 'QUIET_HOURS' && isNew)
    return [{ kind: 'QUIET_HOURS', detail: 'Quiet hours last until the Session begins: a reminder is not sent.' }];
  if (status !== 'PENDING') return [];
  if (isBefore(dueAt, now))
    return [{ kind: 'REMINDER_IN_THE_PAST', detail: 'A reminder was due before now: it is sent at once.' }];
  return isSentEarly(reminder) ? [sentEarlyWarning(reminder)] : [];
}

function isSentEarly({ sendAt, dueAt }: Reminder): boolean {
  return isBefore(sendAt, dueAt);
}

function sentEarlyWarning({ dueAt, sendAt }: Reminder): ScheduleWarning {
  const detail =
    `Quiet hours end less than 30 minutes before the Session: a reminder that is due at ${formatInstant(dueAt)} ` +
    `is sent at ${formatInstant(sendAt)}, before they begin.`;
  return { kind: 'QUIET_HOURS', detail };
}

function isBefore(one: Temporal.Instant, other: Temporal.Instant): boolean {
  return one.epochMilliseconds < other.epochMilliseconds;
}

const PAST =
  'A reminder was due more than 15 minutes before now, or before the Session began: it is not sent (PAST_WHEN_PLANNED).';
