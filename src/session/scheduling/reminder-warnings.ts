import { isAfterDueDay, type Reminder } from '../../reminder/index.js';
import { formatInstant } from '../../shared/persistence/index.js';
import { describeLocalDateTime, formatSlashDate, isBefore } from '../../shared/time/index.js';
import { findNextSession, findNextSessionDate } from '../domain/series-order.js';
import type { Session } from '../domain/session.entity.js';
import { RECIPIENT_NAMES, type ScheduleWarning } from '../domain/schedule-warning.js';

/** A Session and the date of the next Session, on which its homework is due. For the last Session, `day` is null. */
type SessionWithNextDate = { session: Session; day: Temporal.PlainDate | null };

/**
 * Finds warnings about reminders that a change has just planned or rescheduled.
 *
 * @param members all Sessions in the series, from which homework due dates are computed
 */
export function findReminderWarnings(
  reminders: readonly Reminder[],
  sessions: readonly Session[],
  members: readonly Session[],
  now: Temporal.Instant,
): ScheduleWarning[] {
  // The date of the next Session is computed once per Session, because a Session may have hundreds of reminders.
  const sessionIds = new Set(reminders.map(({ subjectSessionId }) => subjectSessionId));
  const due = sessions
    .filter(({ id }) => sessionIds.has(id))
    .map((session): [number, SessionWithNextDate] => [
      session.id,
      { session, day: findNextSessionDate(session, members) },
    ]);
  const bySession = new Map(due);
  return reminders.flatMap((reminder) =>
    findWarningsOfReminder(reminder, bySession.get(reminder.subjectSessionId), now),
  );
}

/**
 * Finds warnings about homework reminders of unchanged Sessions that are due too late, because a change has given a
 * Session another next Session.
 *
 * @param reminders upcoming homework reminders of the Sessions that have not changed
 * @param members all Sessions in the series
 */
export function findAfterDueWarnings(
  reminders: readonly Reminder[],
  changed: readonly Session[],
  members: readonly Session[],
  now: Temporal.Instant,
): ScheduleWarning[] {
  const changedIds = new Set(changed.map(({ id }) => id));
  // Without this condition, each change would repeat the warnings about Sessions later in the series.
  const preceding = members.filter((member) => {
    const next = findNextSession(member, members);
    return !changedIds.has(member.id) && next !== undefined && changedIds.has(next.id);
  });
  return findReminderWarnings(reminders, preceding, members, now).filter(({ kind }) => kind === 'AFTER_DUE');
}

function findWarningsOfReminder(
  reminder: Reminder,
  due: SessionWithNextDate | undefined,
  now: Temporal.Instant,
): ScheduleWarning[] {
  const { rule } = reminder;
  const about = {
    position: due?.session.position,
    ...('bookId' in rule ? { bookId: rule.bookId } : {}),
  };
  const warnings = findDueTimeWarnings(reminder, due?.session.timeZone ?? 'UTC', now);
  if (due !== undefined) warnings.push(...findHomeworkWarnings(reminder, due, now));
  return warnings.map((warning) => ({ ...warning, ...about }));
}

/** Finds warnings about homework reminders that are due before the Session or after the due date of the homework. */
function findHomeworkWarnings(
  reminder: Reminder,
  { session: { startsAt, timeZone }, day }: SessionWithNextDate,
  now: Temporal.Instant,
): ScheduleWarning[] {
  const { kind, status, dueAt } = reminder;
  if (kind !== 'HOMEWORK' || status !== 'PENDING' || isBefore(dueAt, now)) return [];
  if (isBefore(dueAt, startsAt))
    return [
      {
        kind: 'BEFORE_SESSION',
        detail: 'A homework reminder is due before the Session in which the homework is assigned.',
      },
    ];
  if (day === null || !isAfterDueDay(reminder, { day, timeZone })) return [];
  const due = formatSlashDate(day.toString());
  return [
    {
      kind: 'AFTER_DUE',
      detail: `A homework reminder is due after ${due}, the date of the next Session. It is not sent.`,
    },
  ];
}

function findDueTimeWarnings(reminder: Reminder, timeZone: string, now: Temporal.Instant): ScheduleWarning[] {
  const { status, reason, settledAt, dueAt, sendAt } = reminder;
  const described = describeReminder(reminder);
  const isNew = settledAt?.epochMilliseconds === now.epochMilliseconds;
  if (status === 'WITHDRAWN' && reason === 'MISSED' && reminder.history.at(-1)?.at === formatInstant(now))
    return [{ kind: 'REMINDER_IN_THE_PAST', detail: `The time of a ${described} ${MISSED}` }];
  if (status === 'SKIPPED' && reason === 'PAST_WHEN_PLANNED' && isNew)
    return [{ kind: 'REMINDER_IN_THE_PAST', detail: `A ${described} ${PAST}` }];
  if (status === 'SKIPPED' && reason === 'QUIET_HOURS' && isNew)
    return [{ kind: 'QUIET_HOURS', detail: `Quiet hours last until the Session starts. A ${described} is not sent.` }];
  if (status !== 'PENDING') return [];
  // A reminder that waits for the end of quiet hours or for another attempt needs no warning.
  if (isBefore(dueAt, now) && !isBefore(now, sendAt))
    return [{ kind: 'REMINDER_IN_THE_PAST', detail: `A ${described} was already due. It is sent immediately.` }];
  return isSentEarly(reminder) ? [sentEarlyWarning(reminder, timeZone)] : [];
}

function isSentEarly({ sendAt, dueAt }: Reminder): boolean {
  return isBefore(sendAt, dueAt);
}

function sentEarlyWarning(reminder: Reminder, timeZone: string): ScheduleWarning {
  const { dueAt, sendAt } = reminder;
  const describe = (instant: Temporal.Instant) => describeLocalDateTime(instant.toZonedDateTimeISO(timeZone));
  const detail =
    `Quiet hours do not end at least 30 minutes before the Session. The ${describeReminder(reminder)} ` +
    `that is due on ${describe(dueAt)} is sent before they begin, on ${describe(sendAt)} (${timeZone}).`;
  return { kind: 'QUIET_HOURS', detail };
}

/** Names the recipient. Both recipients have the same reminders of a Session, so their warnings would otherwise be equal. */
function describeReminder({ recipientKind }: Reminder): string {
  return `reminder for the ${RECIPIENT_NAMES[recipientKind]}`;
}

const PAST = 'was due more than 15 minutes ago, or the Session has started. It is not sent (PAST_WHEN_PLANNED).';
const MISSED = 'has passed while the Session was cancelled or paused, or counted as over. It is not sent (MISSED).';
