import { isBefore } from '../../shared/time/is-before.js';
import type { HistoryEntry } from './reminder-history.js';
import { isUpcoming, type DeadLetterReason, type ReminderStatus, type SkipReason } from './reminder-status.js';
import type { RecipientTimeSettings } from './timing/quiet-hours.js';
import { planSendTime } from './timing/send-time.js';

/* Rules for reminders that are restored after a withdrawal, or whose message may be being sent while they change. */

/** A message that is being sent has a result within this time. */
const MAX_SENDING_TIME = Temporal.Duration.from({ minutes: 1 });

/** The events after which a reminder that was QUEUED is no longer being sent. */
const DELIVERY_RESULTS: ReadonlySet<HistoryEntry['what']> = new Set(['SENT', 'FAILED', 'DEAD', 'SKIPPED', 'DEFERRED']);

type WithdrawnReminder = {
  reason: string | null;
  dueAt: Temporal.Instant;
  notAfter: Temporal.Instant | null;
  history: readonly HistoryEntry[];
};

type ReminderInMessage = {
  status: ReminderStatus;
  messageId: string | null;
  sendAt: Temporal.Instant;
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

/**
 * Returns when a restored reminder is sent. One that would be sent now waits for the result of its former message, which
 * may be being sent at this moment: otherwise it could be sent twice. A reminder that has moved several times since has no
 * `messageId` any more, but its history tells whether there was a result.
 */
export function awaitResult(
  former: Pick<ReminderInMessage, 'messageId'>,
  { status, sendAt, history }: Omit<ReminderInMessage, 'messageId'>,
  now: Temporal.Instant,
): Temporal.Instant {
  if (status !== 'PENDING' || isBefore(now, sendAt)) return sendAt;
  const last = history.findLast(({ what }) => what === 'QUEUED' || DELIVERY_RESULTS.has(what));
  const mayBeSending = former.messageId !== null || last?.what === 'QUEUED';
  return mayBeSending ? now.add(MAX_SENDING_TIME) : sendAt;
}

/**
 * Returns the changes to a reminder whose Session has another start while its due time stays. It gets a new message: a
 * failed attempt may have reached the receiver, which would drop the other text as a repetition. Its attempts count on.
 */
export function leaveMessage(reminder: ReminderInMessage, now: Temporal.Instant) {
  const { status, messageId } = reminder;
  if (messageId === null || !isUpcoming(status)) return {};
  const pending = { status: 'PENDING', queuedAt: null, messageId: crypto.randomUUID() as string } as const;
  // A message that is not queued is not being sent.
  return status === 'PENDING'
    ? pending
    : { ...pending, sendAt: awaitResult(reminder, { ...reminder, ...pending }, now) };
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
