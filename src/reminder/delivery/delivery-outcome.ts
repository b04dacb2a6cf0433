import { formatInstant } from '../../shared/persistence/index.js';
import { computeRetryTime } from '../domain/attempts.js';
import type { HistoryEntry } from '../domain/reminder-history.js';
import type { ReminderStatus, SkipReason } from '../domain/reminder-status.js';
import { toErrorClass } from './database-retry.js';

/** The new state of a reminder that was not sent, with the entry for its history. `OutcomeWriter` stores it. */
export type DeliveryOutcome = {
  id: number;
  status: Exclude<ReminderStatus, 'SENT'>;
  reason?: string;
  sendAt?: Temporal.Instant;
  messageId?: string;
  historyEntry: Omit<HistoryEntry, 'at'>;
};

/** The result for a reminder whose message was accepted by a channel. */
export type SentOutcome = {
  id: number;
  messageId: string;
  sentAt: Temporal.Instant;
  /** When the reminder should have been sent: at its due time, or at the end of the quiet hours. */
  expectedAt: Temporal.Instant;
  historyEntry: Omit<HistoryEntry, 'at'> & { what: 'SENT' };
};

export function toSkipped(id: number, reason: string): DeliveryOutcome {
  return { id, status: 'SKIPPED', reason, historyEntry: { what: 'SKIPPED', reason } };
}

export function toDeadLetter(id: number, reason: string): DeliveryOutcome {
  return { id, status: 'DEAD', reason, historyEntry: { what: 'DEAD', reason } };
}

/** The reminder waits in its row until then. The job ends: its retries are only for processes that have crashed. */
export function toDeferred(id: number, until: Temporal.Instant, reason: string): DeliveryOutcome {
  const historyEntry = { what: 'DEFERRED' as const, reason, until: formatInstant(until) };
  return { id, status: 'PENDING', sendAt: until, historyEntry };
}

/**
 * The outcome of a failed attempt. The reminder waits in its row for the next one.
 *
 * @param attempt its number, from 1, and the channel if the attempt got that far
 */
export function toFailed(
  id: number,
  until: Temporal.Instant,
  attempt: { attempt: number; channel?: string },
  error: unknown,
): DeliveryOutcome {
  const details = { ...attempt, errorClass: toErrorClass(error), until: formatInstant(until) };
  return { id, status: 'PENDING', sendAt: until, historyEntry: { what: 'FAILED', ...details } };
}

/** A reminder that is too late because channels have refused it is a dead letter; otherwise it is skipped. */
export function toSkippedOrDeadLetter(id: number, reason: SkipReason, wasAttempted: boolean): DeliveryOutcome {
  const isTooLate = reason === 'TOO_LATE' || reason === 'SESSION_STARTED';
  return isTooLate && wasAttempted ? toDeadLetter(id, 'LATENESS_REACHED') : toSkipped(id, reason);
}

/** The outcome of an error before any channel was tried: another attempt, or a dead letter after the deadline. */
export function toFailedOrDeadLetter(
  { id, attempt, deadline }: { id: number; attempt: number; deadline: Temporal.Instant },
  now: Temporal.Instant,
  error: unknown,
): DeliveryOutcome {
  if (Temporal.Instant.compare(deadline, now) < 0) return toDeadLetter(id, 'LATENESS_REACHED');
  return toFailed(id, computeRetryTime(attempt, now, deadline), { attempt }, error);
}
