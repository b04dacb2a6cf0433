import { isBefore } from '../../shared/time/index.js';
import type { ReminderKind } from './reminder-kinds.js';
import type { SkipReason } from './reminder-status.js';
import {
  findLastQuietHoursEnd,
  findQuietHoursEnd,
  type QuietHours,
  type RecipientTimeSettings,
} from './timing/quiet-hours.js';

/** The decision about a due reminder: it is sent now, deferred, or skipped. */
export type DeliveryDecision =
  | { action: 'SEND'; isLate: boolean; expectedAt: Temporal.Instant }
  | { action: 'DEFER'; until: Temporal.Instant; reason: 'QUIET_HOURS' }
  | { action: 'SKIP'; reason: SkipReason };

/** The reminder fields on which the decision depends. */
export type DueReminder = {
  kind: ReminderKind;
  /** Whether this is a notice, from which recipients cannot opt out. */
  isNotice?: boolean;
  dueAt: Temporal.Instant;
  /** When the reminder is queued: `dueAt`, unless quiet hours or a retry have changed it. */
  sendAt: Temporal.Instant;
  /** The start of the Session, after which the reminder is not sent, or null if there is no such limit. */
  notAfter: Temporal.Instant | null;
  /** When the reminder was last redriven. */
  redrivenAt: Temporal.Instant | null;
};

/** The part of a recipient's preference on which the decision depends. */
export type DeliveryPreference = RecipientTimeSettings & { optedOut: ReadonlySet<ReminderKind> };

/** A message that is sent more than this long after the expected time says that it is late. */
const LATE_THRESHOLD = Temporal.Duration.from({ minutes: 15 });

/**
 * Decides whether a due reminder is sent now, deferred or skipped. The decision is made when the reminder is queued and
 * again right before it is sent, because hours may pass in between.
 *
 * @param maxLateness reminders that are later than this are skipped. Time in quiet hours does not count, and a reminder
 * that was not too late when quiet hours began is sent when they end
 */
export function decideDelivery(
  { kind, isNotice = false, dueAt, sendAt, notAfter, redrivenAt }: DueReminder,
  { optedOut, quietHours, timeZone }: DeliveryPreference,
  maxLateness: Temporal.Duration,
  now: Temporal.Instant,
): DeliveryDecision {
  if (optedOut.has(kind) && !isNotice) return { action: 'SKIP', reason: 'OPTED_OUT' };
  const afterQuietHours = (instant: Temporal.Instant) => skipQuietHours(instant, quietHours, timeZone);

  const wasAdvanced = redrivenAt === null && isBefore(sendAt, dueAt);
  const expectedAt = wasAdvanced ? sendAt : afterQuietHours(redrivenAt ?? dueAt);
  // The reminder waited for the end of quiet hours, and may have been retried since. If it was too late when they began,
  // it was skipped then.
  const deferredUntil = isBefore(expectedAt, sendAt)
    ? findRecentQuietHoursEnd(sendAt, quietHours, timeZone, now)
    : null;
  const wasDeferred = deferredUntil !== null && isBefore(expectedAt, deferredUntil);
  if (isBefore(expectedAt.add(maxLateness), now) && !wasDeferred) return { action: 'SKIP', reason: 'TOO_LATE' };

  // A redriven reminder is sent even if the Session has started.
  const start = redrivenAt === null ? notAfter : null;
  if (start !== null && !isBefore(now, start)) return { action: 'SKIP', reason: 'SESSION_STARTED' };
  const until = afterQuietHours(now);
  if (start !== null && !until.equals(now) && !isBefore(until, start)) return { action: 'SKIP', reason: 'QUIET_HOURS' };
  if (!until.equals(now)) return { action: 'DEFER', until, reason: 'QUIET_HOURS' };
  return {
    action: 'SEND',
    isLate: isBefore((wasAdvanced ? dueAt : afterQuietHours(dueAt)).add(LATE_THRESHOLD), now),
    expectedAt: wasDeferred ? deferredUntil : expectedAt,
  };
}

function skipQuietHours(instant: Temporal.Instant, quietHours: QuietHours | null, timeZone: string): Temporal.Instant {
  return (quietHours && findQuietHoursEnd(instant, quietHours, timeZone)) ?? instant;
}

/** The last end of quiet hours up to `sendAt`, or null if it is longer ago than the threshold of lateness. */
function findRecentQuietHoursEnd(
  sendAt: Temporal.Instant,
  quietHours: QuietHours | null,
  timeZone: string,
  now: Temporal.Instant,
): Temporal.Instant | null {
  const end = quietHours && findLastQuietHoursEnd(sendAt, quietHours, timeZone);
  return end === null || isBefore(end.add(LATE_THRESHOLD), now) ? null : end;
}
