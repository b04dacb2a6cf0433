import type { Reminder, StoryEntry } from './reminder.entity.js';

/**
 * The due times that a reminder was sent for, in milliseconds, by its history. One that has moved while its message
 * was on its way waits for its new time, and only the history tells that it was sent for the former one.
 */
export function sentForOf({ status, story, dueAt }: Pick<Reminder, 'status' | 'story' | 'dueAt'>): number[] {
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

function millisecondsOf(entry: StoryEntry, detail: 'from' | 'to'): number {
  return Temporal.Instant.from(String(entry[detail])).epochMilliseconds;
}
