import { isBefore } from '../../shared/time/is-before.js';
import type { HistoryEntry } from './reminder-history.js';
import type { DeadLetterReason, SkipReason } from './reminder-status.js';
import type { RecipientTimeSettings } from './timing/quiet-hours.js';
import { planSendTime } from './timing/send-time.js';

/* Rules for reminders that are restored after a withdrawal. */

type WithdrawnReminder = {
  reason: string | null;
  dueAt: Temporal.Instant;
  notAfter: Temporal.Instant | null;
  history: readonly HistoryEntry[];
};

/** How the delivery of a reminder ended that can be redriven. */
type RedrivableEnd = { status: 'DEAD' | 'SKIPPED'; reason: DeadLetterReason | SkipReason; settledAt: Temporal.Instant };

/** The change for which a reminder is rescheduled. `hasMoved`: whether the due time has changed. */
export type RescheduleChange = { hasMoved: boolean; settings: RecipientTimeSettings; now: Temporal.Instant };

/**
 * Whether the time of a withdrawn reminder has passed since its withdrawal. A reminder that waits for the end of quiet
 * hours can still be sent, and one that was late when it was withdrawn is as late as before.
 */
export function isMissed(
  { reason, dueAt, notAfter, history }: WithdrawnReminder,
  { hasMoved, settings, now }: RescheduleChange,
): boolean {
  if (isBefore(now, dueAt)) return false;
  if (hasMoved || reason === 'MISSED') return true;
  if (findEndBeforeWithdrawal(history) !== undefined) return false;
  if (notAfter !== null && !isBefore(now, notAfter)) return true;
  const planned = planSendTime({ dueAt, notAfter }, settings, now);
  if (planned.action === 'SKIP' || isBefore(now, planned.sendAt)) return false;
  const withdrawal = findLastWithdrawal(history);
  return withdrawal === undefined || isBefore(Temporal.Instant.from(withdrawal.at), planned.sendAt);
}

/** Finds how the delivery of a reminder had ended before it was withdrawn, if it can be redriven. */
export function findEndBeforeWithdrawal(history: readonly HistoryEntry[]): RedrivableEnd | undefined {
  const { what, reason, at } = findLastWithdrawal(history)?.before ?? {};
  const isRedrivable = what === 'DEAD' || (what === 'SKIPPED' && reason === 'TOO_LATE');
  if (!isRedrivable) return undefined;
  return { status: what, reason: reason as RedrivableEnd['reason'], settledAt: Temporal.Instant.from(at!) };
}

/**
 * Finds the last withdrawal and the event before it. Undefined if the reminder has moved since, so that the event before
 * says nothing about its present time.
 */
function findLastWithdrawal(history: readonly HistoryEntry[]) {
  const index = history.findLastIndex(({ what }) => what !== 'WITHDRAWN' && what !== 'HANDED_OVER');
  const before = history[index];
  const withdrawal = history.slice(index + 1).find(({ what }) => what === 'WITHDRAWN');
  const hasMovedSince = before?.what === 'MOVED' && wasWithdrawn(history.slice(0, index));
  return withdrawal === undefined || hasMovedSince ? undefined : { at: withdrawal.at, before };
}

/** Whether a reminder with this history, whatever its moves, is withdrawn. */
function wasWithdrawn(history: readonly HistoryEntry[]): boolean {
  return history.findLast(({ what }) => what !== 'MOVED' && what !== 'HANDED_OVER')?.what === 'WITHDRAWN';
}
