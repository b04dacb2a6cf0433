import { isBefore } from '../../shared/time/is-before.js';
import type { HistoryEntry } from './reminder-history.js';
import { isSameMillisecond } from './reminder-rule.js';
import { isUpcoming, type ReminderStatus } from './reminder-status.js';

/* Rules for reminders whose message may be being sent while they change. */

/** A message that is being sent has a result within this time. */
const MAX_SENDING_TIME = Temporal.Duration.from({ minutes: 1 });

/** The events after which a reminder that was QUEUED is no longer being sent. */
const DELIVERY_RESULTS: ReadonlySet<HistoryEntry['what']> = new Set(['SENT', 'FAILED', 'DEAD', 'SKIPPED', 'DEFERRED']);

type ReminderInMessage = {
  status: ReminderStatus;
  messageId: string | null;
  sendAt: Temporal.Instant;
  history: readonly HistoryEntry[];
};

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
  const mayBeSending = former.messageId !== null || hasNoResult(history);
  return mayBeSending ? now.add(MAX_SENDING_TIME) : sendAt;
}

/**
 * Whether a reminder keeps its send time, although it is planned anew: the planned time is the same, or earlier than the
 * end of its wait for the result of its former message.
 */
export function keepsSendTime(
  { sendAt, history }: Pick<ReminderInMessage, 'sendAt' | 'history'>,
  plannedAt: Temporal.Instant,
  now: Temporal.Instant,
): boolean {
  const mayBeWaiting = isBefore(now, sendAt) && !isBefore(now.add(MAX_SENDING_TIME), sendAt) && hasNoResult(history);
  return isSameMillisecond(plannedAt, sendAt) || (mayBeWaiting && isBefore(plannedAt, sendAt));
}

function hasNoResult(history: readonly HistoryEntry[]): boolean {
  return history.findLast(({ what }) => what === 'QUEUED' || DELIVERY_RESULTS.has(what))?.what === 'QUEUED';
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
