import { getErrorClassName } from '../../shared/errors/index.js';
import { formatInstant } from '../../shared/persistence/index.js';
import { computeRetryTime } from '../domain/attempts.js';
import type { Reminder } from '../domain/reminder.entity.js';
import type { DeferralReason, HistoryEvent } from '../domain/reminder-history.js';
import type { DeadLetterReason, ReminderStatus, SkipReason } from '../domain/reminder-status.js';

/** The new state and history entry of a reminder that was not sent. `OutcomeWriter` stores both. */
export type DeliveryOutcome = {
  id: number;
  status: Exclude<ReminderStatus, 'SENT'>;
  reason?: SkipReason | DeadLetterReason | 'ALREADY_SENT';
  sendAt?: Temporal.Instant;
  messageId?: string;
  /** The message that was tried. If the reminder is part of another one by now, the outcome does not concern it. */
  triedMessageId?: string;
  /** The channel that was busy. It is counted, and is no part of the history, because the channel tried nothing. */
  busyChannel?: string;
  /** Absent if the reminder was not tried. */
  historyEntry?: HistoryEvent;
};

/**
 * Restricts outcomes to the messages for which they were decided. Meanwhile, a reminder can move, and be queued as part
 * of another message.
 *
 * @param reminders the reminders of the outcomes, as they were read
 */
export function restrictToMessages(
  outcomes: readonly DeliveryOutcome[],
  reminders: readonly Pick<Reminder, 'id' | 'messageId'>[],
): DeliveryOutcome[] {
  const messageIds = new Map(reminders.map(({ id, messageId }) => [id, messageId!]));
  return outcomes.map((outcome) => ({ ...outcome, triedMessageId: messageIds.get(outcome.id)! }));
}

/** The result for a reminder whose message was accepted by a channel. */
export type SentOutcome = {
  id: number;
  messageId: string;
  sentAt: Temporal.Instant;
  /** When the reminder should have been sent, for example at its due time or at the end of the quiet hours. */
  expectedAt: Temporal.Instant;
  historyEntry: HistoryEvent & { what: 'SENT' };
};

export function toSkippedOutcome(id: number, reason: SkipReason): DeliveryOutcome {
  return { id, status: 'SKIPPED', reason, historyEntry: { what: 'SKIPPED', reason } };
}

/** The outcome of a reminder whose former message was sent after the reminder had been restored. */
export function toAlreadySentOutcome(id: number): DeliveryOutcome {
  return {
    id,
    status: 'WITHDRAWN',
    reason: 'ALREADY_SENT',
    historyEntry: { what: 'WITHDRAWN', reason: 'ALREADY_SENT' },
  };
}

export function toDeadLetterOutcome(id: number, reason: DeadLetterReason): DeliveryOutcome {
  return { id, status: 'DEAD', reason, historyEntry: { what: 'DEAD', reason } };
}

/**
 * The outcome of a reminder that is deferred until the given time. Its job ends, because the queue retries only the jobs
 * of crashed processes.
 */
export function toDeferredOutcome(id: number, until: Temporal.Instant, reason: DeferralReason): DeliveryOutcome {
  const historyEntry = { what: 'DEFERRED', reason, until: formatInstant(until) } as const;
  return { id, status: 'PENDING', sendAt: until, historyEntry };
}

/** The outcome of a queued reminder that was not tried: it waits again, and is queued by the next dispatch. */
export function toReleasedOutcome(id: number): DeliveryOutcome {
  return { id, status: 'PENDING' };
}

/**
 * The outcome of a failed attempt. The reminder stays pending until the next attempt.
 *
 * @param attempt the number of the attempt, from 1, and the channel if the attempt reached one
 */
export function toFailedOutcome(
  id: number,
  until: Temporal.Instant,
  attempt: { attempt: number; channel?: string },
  error: unknown,
): DeliveryOutcome {
  const details = { ...attempt, errorClass: getErrorClassName(error), until: formatInstant(until) };
  return { id, status: 'PENDING', sendAt: until, historyEntry: { what: 'FAILED', ...details } };
}

/**
 * A reminder that can no longer be sent in time after channels have refused it becomes a dead letter; any other reminder
 * is skipped.
 */
export function toSkippedOrDeadLetterOutcome(id: number, reason: SkipReason, wasAttempted: boolean): DeliveryOutcome {
  const isTooLate = reason === 'TOO_LATE' || reason === 'SESSION_STARTED' || reason === 'QUIET_HOURS';
  return isTooLate && wasAttempted ? toDeadLetterOutcome(id, 'LATENESS_REACHED') : toSkippedOutcome(id, reason);
}

/** The outcome of an error before any channel was tried: another attempt or, after the deadline, a dead letter. */
export function toFailedOrDeadLetterOutcome(
  { id, attempt, deadline }: { id: number; attempt: number; deadline: Temporal.Instant },
  now: Temporal.Instant,
  error: unknown,
): DeliveryOutcome {
  if (Temporal.Instant.compare(deadline, now) < 0) return toDeadLetterOutcome(id, 'LATENESS_REACHED');
  return toFailedOutcome(id, computeRetryTime(attempt, now, deadline), { attempt }, error);
}
