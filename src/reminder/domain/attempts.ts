import { isBefore } from '../../shared/time/index.js';
import type { DueReminder } from './delivery-decision.js';
import type { HistoryEntry } from './reminder-history.js';
import type { RecipientKind } from './reminder-kinds.js';

/* Counts the delivery attempts of a reminder from its history. */

/** The delay after the first failed attempt. It doubles with each further failed attempt. */
const FIRST_RETRY_DELAY_SECONDS = 5;
/** The maximum delay, short enough for messages to be sent soon after a server recovers. */
const MAX_RETRY_DELAY_SECONDS = 600;
/** Attempts before the most recent of these events do not count. */
const ATTEMPT_RESETS: ReadonlySet<HistoryEntry['what']> = new Set(['MOVED', 'RESTORED', 'REDRIVEN']);

export type AttemptedReminder = { history: readonly HistoryEntry[]; recipientKind: RecipientKind };

/** The number of the next attempt, counting from 1. */
export function getNextAttemptNumber(reminder: AttemptedReminder): number {
  const lastFailure = getEntriesSinceReset(reminder).findLast(({ what }) => what === 'FAILED');
  return (lastFailure?.attempt ?? 0) + 1;
}

/** Whether a channel has refused the reminder since the last reset. */
export function wasAttempted(reminder: AttemptedReminder): boolean {
  return getEntriesSinceReset(reminder).some(({ what, reason }) => what === 'FAILED' || reason === 'CHANNEL_BUSY');
}

/**
 * When a failed delivery is retried: after the attempt's delay, or right after the deadline if that is earlier.
 *
 * @param attempt the number of the failed attempt, from 1
 * @param deadline the last instant at which the reminder may be sent
 */
export function computeRetryTime(
  attempt: number,
  now: Temporal.Instant,
  deadline?: Temporal.Instant,
): Temporal.Instant {
  const seconds = Math.min(FIRST_RETRY_DELAY_SECONDS * 2 ** (attempt - 1), MAX_RETRY_DELAY_SECONDS);
  const retryTime = now.add({ seconds });
  // One second after the deadline, because the reminder may still be sent at the deadline itself.
  const end = deadline?.add({ seconds: 1 });
  return end !== undefined && isBefore(now, end) && isBefore(end, retryTime) ? end : retryTime;
}

/** The last instant at which a reminder may be sent, disregarding quiet hours. */
export function computeDeliveryDeadline(
  { dueAt, notAfter, redrivenAt }: Pick<DueReminder, 'dueAt' | 'notAfter' | 'redrivenAt'>,
  maxLateness: Temporal.Duration,
): Temporal.Instant {
  const deadline = (redrivenAt ?? dueAt).add(maxLateness);
  return redrivenAt === null && notAfter !== null && isBefore(notAfter, deadline) ? notAfter : deadline;
}

function getEntriesSinceReset({ history, recipientKind }: AttemptedReminder): readonly HistoryEntry[] {
  // The reminder to a Client has the same recipient after the Session was handed over.
  const isReset = ({ what }: HistoryEntry) =>
    ATTEMPT_RESETS.has(what) || (what === 'HANDED_OVER' && recipientKind === 'CARE_PROVIDER');
  return history.slice(history.findLastIndex(isReset) + 1);
}
