/**
 * The states of a reminder. PENDING: waits until `sendAt`. QUEUED: its message has a job in the queue. SENT: a channel
 * has accepted the message. DEAD: delivery has failed for good. WITHDRAWN: not sent as long as its Session or homework
 * stays as it is. SKIPPED: not sent when it was due. The last three have a `reason`.
 */
export const REMINDER_STATUSES = ['PENDING', 'QUEUED', 'SENT', 'DEAD', 'WITHDRAWN', 'SKIPPED'] as const;
export type ReminderStatus = (typeof REMINDER_STATUSES)[number];

/** States of reminders that are sent when they are due. */
export const UPCOMING_STATUSES = ['PENDING', 'QUEUED'] as const satisfies readonly ReminderStatus[];

export function isUpcoming(status: ReminderStatus): boolean {
  return (UPCOMING_STATUSES as readonly ReminderStatus[]).includes(status);
}

/** States of reminders that have not been sent but still can be. Some SKIPPED reminders can still be sent, too. */
export const STILL_SENDABLE_STATUSES: readonly ReminderStatus[] = ['PENDING', 'QUEUED', 'DEAD', 'WITHDRAWN'];

/** Why a reminder was not sent when it was due. */
export const SKIP_REASONS = [
  'OPTED_OUT',
  'TOO_LATE',
  'RECIPIENT_GONE',
  'PAST_WHEN_PLANNED',
  'SESSION_STARTED',
  'AFTER_DUE',
  'QUIET_HOURS',
] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

/** Skip reasons that no longer apply once the Session has been moved. */
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
 * Why a reminder is withdrawn. MISSED: its due time had passed when its Session was restored. ALREADY_SENT: it had
 * already been sent for the same due time.
 */
export const WITHDRAWAL_REASONS = [
  'SESSION_CANCELLED',
  'SESSION_OVER',
  'SERIES_PAUSED',
  'HOMEWORK_DONE',
  'HOMEWORK_REMOVED',
  'RECIPIENT_LEFT',
  'MISSED',
  'ALREADY_SENT',
] as const;
export type WithdrawalReason = (typeof WITHDRAWAL_REASONS)[number];

/**
 * Why a reminder is a dead letter. LATENESS_REACHED: attempts failed until it was too late. ATTEMPTS_EXHAUSTED: the
 * process crashed during each of the queue's attempts.
 */
export const DEAD_LETTER_REASONS = ['UNDELIVERABLE', 'LATENESS_REACHED', 'ATTEMPTS_EXHAUSTED'] as const;
export type DeadLetterReason = (typeof DEAD_LETTER_REASONS)[number];

/** Whether a reminder has not been sent but still can be. */
export function canStillBeSent(status: ReminderStatus, reason: string | null): boolean {
  return (
    STILL_SENDABLE_STATUSES.includes(status) ||
    (status === 'SKIPPED' && TIME_DEPENDENT_SKIP_REASONS.includes(reason as SkipReason))
  );
}

/** Whether a reminder matches one of the `REDRIVE_FILTERS`. */
export function isRedrivable(status: ReminderStatus, reason: string | null): boolean {
  return status === 'DEAD' || (status === 'SKIPPED' && reason === REDRIVE_FILTERS.SKIPPED.reason);
}
