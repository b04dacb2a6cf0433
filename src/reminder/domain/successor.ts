import { computeDueTime, findWithdrawalReason, isSameMillisecond, withTimeZone } from './reminder-rule.js';
import { Reminder } from './reminder.entity.js';
import type { SessionSnapshot } from './session-data.js';
import { UNREAD_TIME_SETTINGS } from './timing/quiet-hours.js';

/**
 * Creates a successor to a reminder that was sent before its Session moved. Returns null if none is needed, for example
 * because the new due time has passed.
 *
 * @param settings the recipient's time settings
 * @param sentDueTimes due times, in epoch milliseconds, for which the reminder is not sent again
 */
export function createSuccessor(
  sent: Reminder,
  session: SessionSnapshot,
  now: Temporal.Instant,
  settings = UNREAD_TIME_SETTINGS,
  { sentDueTimes, recipientKind }: Pick<Reminder, 'sentDueTimes' | 'recipientKind'> = sent,
): Reminder | null {
  // A new time zone alone does not move the Session.
  if (isSameMillisecond(computeDueTime(sent.rule, session, sent.createdAt), sent.dueAt)) return null;
  const rule = withTimeZone(sent.rule, settings);
  const dueAt = computeDueTime(rule, session, sent.createdAt);
  if (Temporal.Instant.compare(dueAt, now) <= 0 || sentDueTimes.has(dueAt.epochMilliseconds)) return null;
  if (findWithdrawalReason(sent, session, dueAt) !== null) return null;
  return new Reminder(session, recipientKind, rule, now, sent.homeworkId, settings);
}
