import type { ReminderStatus } from './reminder-status.js';

/** An event in a reminder's history. Planning itself has no entry; it is derived from `createdAt` and the rule. */
export type HistoryEntry = {
  /** Time of the event, ISO 8601 in UTC. */
  at: string;
  what:
    | 'MOVED'
    | 'HANDED_OVER'
    | 'WITHDRAWN'
    | 'RESTORED'
    | 'DEFERRED'
    | 'ADVANCED'
    | 'RESCHEDULED'
    | 'QUEUED'
    | 'FAILED'
    | 'SENT'
    | 'SKIPPED'
    | 'DEAD'
    | 'REDRIVEN';
  [detail: string]: string | number | boolean;
};

/** The data of an event, such as the reason, the channel, or the times before and after a move. */
export type HistoryDetails = Readonly<Record<string, string | number>>;

/**
 * Returns the due times for which a reminder was sent, in milliseconds since 1970. The status alone is not enough. If a
 * reminder was moved while its message was being sent, it is PENDING for the new time, and only its history shows that
 * the message was sent.
 */
export function findSentDueTimes({
  status,
  history,
  dueAt,
}: {
  status: ReminderStatus;
  history: readonly HistoryEntry[];
  dueAt: Temporal.Instant;
}): number[] {
  if (!history.some(({ what }) => what === 'SENT')) return status === 'SENT' ? [dueAt.epochMilliseconds] : [];
  const firstMove = history.find(({ what }) => what === 'MOVED');
  let due = firstMove === undefined ? dueAt.epochMilliseconds : toMilliseconds(firstMove, 'from');
  let dueWhenQueued = due;
  const sentDueTimes: number[] = [];
  for (const entry of history) {
    if (entry.what === 'MOVED') due = toMilliseconds(entry, 'to');
    if (entry.what === 'QUEUED') dueWhenQueued = due;
    if (entry.what === 'SENT') sentDueTimes.push(dueWhenQueued);
  }
  return sentDueTimes;
}

function toMilliseconds(entry: HistoryEntry, detail: 'from' | 'to'): number {
  return Temporal.Instant.from(String(entry[detail])).epochMilliseconds;
}
