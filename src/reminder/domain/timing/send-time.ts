import { isBefore } from '../../../shared/time/is-before.js';
import { computeLastMinuteBeforeQuietHours, findQuietHoursEnd, type RecipientTimeSettings } from './quiet-hours.js';

/** A reminder is not sent if its due time is further in the past than this when it is planned. */
const PAST_DUE_GRACE_PERIOD_MS = 15 * 60_000;
/** If possible, quiet hours do not defer a reminder to less than this before the start of its Session. */
const MIN_LEAD_TIME = Temporal.Duration.from({ minutes: 30 });

/** When a planned reminder is to be sent. `adjustment`: how quiet hours have changed the send time. */
export type PlannedSendTime =
  | { action: 'SEND'; sendAt: Temporal.Instant; adjustment?: 'DEFERRED' | 'ADVANCED' }
  | { action: 'SKIP'; reason: 'QUIET_HOURS' };

/** `notAfter`: the start of the Session, after which the reminder is not sent, or null if there is no such limit. */
type ReminderTimes = { dueAt: Temporal.Instant; notAfter: Temporal.Instant | null };

/**
 * Whether a reminder is planned too late to be sent: more than 15 minutes after its due time, or after the start of the
 * Session. This happens when a record is entered or corrected afterwards.
 *
 * Source: docs/decisions.md, "Reminders of the past".
 */
export function isPastWhenPlanned({ dueAt, notAfter }: ReminderTimes, now: Temporal.Instant): boolean {
  const isPastDue = dueAt.epochMilliseconds + PAST_DUE_GRACE_PERIOD_MS < now.epochMilliseconds;
  return isPastDue || (notAfter !== null && !isBefore(now, notAfter));
}

/**
 * Computes when a reminder is sent. Quiet hours defer the reminder until they end. A reminder that is due before the
 * start of its Session is not deferred to less than 30 minutes before the start; instead, it is sent in the last minute
 * before the quiet hours. If that minute has passed, the reminder is sent at the end of the quiet hours if they end
 * before the start; otherwise, it is skipped.
 *
 * Source: docs/decisions.md, "Quiet hours around a Session".
 */
export function planSendTime(
  { dueAt, notAfter }: ReminderTimes,
  { quietHours, timeZone }: RecipientTimeSettings,
  now: Temporal.Instant,
): PlannedSendTime {
  const end = quietHours && findQuietHoursEnd(dueAt, quietHours, timeZone);
  if (end === null) return { action: 'SEND', sendAt: dueAt };
  const deferred = { action: 'SEND', sendAt: end, adjustment: 'DEFERRED' } as const;
  if (notAfter === null || !isBefore(notAfter.subtract(MIN_LEAD_TIME), end)) return deferred;
  const lastMinute = computeLastMinuteBeforeQuietHours(dueAt, quietHours!, timeZone);
  const isLastMinuteOver = !isBefore(now, lastMinute.add({ minutes: 1 }));
  if (!isLastMinuteOver) return { action: 'SEND', sendAt: lastMinute, adjustment: 'ADVANCED' };
  return isBefore(end, notAfter) ? deferred : { action: 'SKIP', reason: 'QUIET_HOURS' };
}
