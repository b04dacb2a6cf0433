import type { ReminderStatus } from './reminder-status.js';

/** One chapter of what has happened to a reminder, besides that it was planned. */
export type HistoryEntry = {
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

/**
 * The due times that a reminder was sent for, in milliseconds, by its history. One that has moved while its message
 * was on its way waits for its new time, and only the history tells that it was sent for the former one.
 */
export function sentForOf({
  status,
  story,
  dueAt,
}: {
  status: ReminderStatus;
  story: readonly HistoryEntry[];
  dueAt: Temporal.Instant;
}): number[] {
  if (!story.some(({ what }) => what === 'SENT')) return status === 'SENT' ? [dueAt.epochMilliseconds] : [];
  const firstMove = story.find(({ what }) => what === 'MOVED');
  let due = firstMove === undefined ? dueAt.epochMilliseconds : millisecondsOf(firstMove, 'from');
  let queuedFor = due;
  const sentFor: number[] = [];
  for (const entry of story) {
    if (entry.what === 'MOVED') due = millisecondsOf(entry, 'to');
    if (entry.what === 'QUEUED') queuedFor = due;
    if (entry.what === 'SENT') sentFor.push(queuedFor);
  }
  return sentFor;
}

function millisecondsOf(entry: HistoryEntry, detail: 'from' | 'to'): number {
  return Temporal.Instant.from(String(entry[detail])).epochMilliseconds;
}
