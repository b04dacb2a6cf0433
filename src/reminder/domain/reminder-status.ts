/**
 * The states of a reminder. PENDING: waits until `sendAt`. QUEUED: its message has a job in the queue. SENT: a channel
 * has accepted the message. DEAD: delivery has failed for good. WITHDRAWN: not to be sent as long as its Session or
 * homework stays as it is. SKIPPED: not sent when it was due. The last three have a `reason`.
 */
export const REMINDER_STATUSES = ['PENDING', 'QUEUED', 'SENT', 'DEAD', 'WITHDRAWN', 'SKIPPED'] as const;
export type ReminderStatus = (typeof REMINDER_STATUSES)[number];

/** States of reminders that were not sent and can still be sent. Some SKIPPED reminders can be sent, too. */
export const UNSENT_STATUSES: readonly ReminderStatus[] = ['PENDING', 'QUEUED', 'DEAD', 'WITHDRAWN'];

/** Why a reminder was not sent when it was due. */
export type SkipReason =
  'OPTED_OUT' | 'TOO_LATE' | 'RECIPIENT_GONE' | 'PAST_WHEN_PLANNED' | 'SESSION_STARTED' | 'AFTER_DUE' | 'QUIET_HOURS';

/** Reasons of a skip that no longer apply once the Session has another time. */
export const TIME_DEPENDENT_SKIP_REASONS: readonly SkipReason[] = [
  'TOO_LATE',
  'PAST_WHEN_PLANNED',
  'SESSION_STARTED',
  'AFTER_DUE',
  'QUIET_HOURS',
];

/** The reminders that can be redriven: dead letters, and reminders that were skipped because they were too late. */
export const REDRIVE_FILTERS = {
  DEAD: { status: 'DEAD' },
  SKIPPED: { status: 'SKIPPED', reason: 'TOO_LATE' },
} as const;

/**
 * Why a reminder is withdrawn. MISSED: its time had passed when its Session came back. ALREADY_SENT: it was sent for
 * the same due time before.
 */
export type WithdrawalReason =
  | 'SESSION_CANCELLED'
  | 'SESSION_OVER'
  | 'SERIES_PAUSED'
  | 'HOMEWORK_DONE'
  | 'HOMEWORK_REMOVED'
  | 'RECIPIENT_LEFT'
  | 'MISSED'
  | 'ALREADY_SENT';

/**
 * Why a reminder is a dead letter. LATENESS_REACHED: attempts failed until it was too late. ATTEMPTS_EXHAUSTED: the
 * process ended during each attempt of the queue.
 */
export type DeadLetterReason = 'UNDELIVERABLE' | 'LATENESS_REACHED' | 'ATTEMPTS_EXHAUSTED';

/** Whether a reminder was not sent and can still be sent. */
export function isUnsent(status: ReminderStatus, reason: string | null): boolean {
  return (
    UNSENT_STATUSES.includes(status) ||
    (status === 'SKIPPED' && TIME_DEPENDENT_SKIP_REASONS.includes(reason as SkipReason))
  );
}

/** Whether a reminder matches one of the `REDRIVE_FILTERS`. */
export function isRedrivable(status: ReminderStatus, reason: string | null): boolean {
  return status === 'DEAD' || (status === 'SKIPPED' && reason === REDRIVE_FILTERS.SKIPPED.reason);
}
