import type { ReminderRule, ReminderSubject } from './reminder-rule.js';
import type { SkipReason } from './delivery-decision.js';

/**
 * PENDING: waits for its time, or for its next attempt. QUEUED: handed to the queue. SENT: a channel took it. The others
 * have a `reason` beside them. DEAD: not delivered. WITHDRAWN: not to be sent as things stand. SKIPPED: its time came,
 * and it was not sent.
 */
export const REMINDER_STATUSES = ['PENDING', 'QUEUED', 'SENT', 'DEAD', 'WITHDRAWN', 'SKIPPED'] as const;
export type ReminderStatus = (typeof REMINDER_STATUSES)[number];

/** What has not reached its recipient, and still may. So may what was SKIPPED because of its time. */
export const UNSENT: readonly ReminderStatus[] = ['PENDING', 'QUEUED', 'DEAD', 'WITHDRAWN'];

/** Reasons of a skip that another time of the Session takes away. */
export const SKIPPED_BY_TIME: readonly SkipReason[] = [
  'TOO_LATE',
  'PAST_WHEN_PLANNED',
  'SESSION_STARTED',
  'AFTER_DUE',
  'QUIET_HOURS',
];

/** What can be sent again when somebody asks for it: what has failed, and what was too late. */
export const REDRIVABLE = { DEAD: { status: 'DEAD' }, SKIPPED: { status: 'SKIPPED', reason: 'TOO_LATE' } } as const;

/** Why a reminder is withdrawn. MISSED: it came back when its time had passed. ALREADY_SENT: for the same due time. */
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
 * Why a reminder is a dead letter. LATENESS_REACHED: it was tried until it would have been too late.
 * ATTEMPTS_EXHAUSTED: processes have died again and again while they had it.
 */
export type DeathReason = 'UNDELIVERABLE' | 'LATENESS_REACHED' | 'ATTEMPTS_EXHAUSTED';

/** What stands against sending a reminder, as its Session and its homework are. */
export function reasonAgainst(
  { rule, homeworkId }: { rule: ReminderRule; homeworkId: number | null },
  { standing, startsAt, doneHomeworkIds }: ReminderSubject,
  dueAt: Temporal.Instant,
): WithdrawalReason | null {
  if (standing === 'CANCELLED') return 'SESSION_CANCELLED';
  if (standing === 'PAUSED') return 'SERIES_PAUSED';
  if (rule.kind === 'HOMEWORK') {
    if (homeworkId === null) return 'HOMEWORK_REMOVED';
    return doneHomeworkIds.has(homeworkId) ? 'HOMEWORK_DONE' : null;
  }
  const isAfterStart = Temporal.Instant.compare(dueAt, startsAt) > 0;
  return standing === 'OVER' && !isAfterStart ? 'SESSION_OVER' : null;
}
