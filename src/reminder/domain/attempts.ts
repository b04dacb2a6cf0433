import { isBefore } from '../../shared/time/index.js';
import type { DueReminder } from './delivery-decision.js';
import type { HistoryEntry } from './reminder-history.js';

/* How often a reminder was tried, and when it is tried again. Its story is the record. */

/** The first pause after a failed attempt; each further one is twice as long … */
const FIRST_PAUSE_SECONDS = 5;
/** … and none is longer: a server that works again is noticed soon enough. */
const LONGEST_PAUSE_SECONDS = 600;

/** What begins a new time or a new chance: attempts before it do not count. */
const RESETS: ReadonlySet<string> = new Set(['MOVED', 'RESTORED', 'REDRIVEN']);

/** The number of the next attempt, from 1. */
export function nextAttempt(story: readonly HistoryEntry[]): number {
  const last = sinceReset(story).findLast(({ what }) => what === 'FAILED');
  return Number(last?.['attempt'] ?? 0) + 1;
}

/** Whether a channel was asked to take it, and did not. */
export function wasTried(story: readonly HistoryEntry[]): boolean {
  return sinceReset(story).some(({ what, reason }) => what === 'FAILED' || reason === 'CHANNEL_BUSY');
}

/** When it is tried again after a failed attempt; not after the moment at which it is too late. */
export function retryAt(attempt: number, now: Temporal.Instant, latest?: Temporal.Instant): Temporal.Instant {
  const seconds = Math.min(FIRST_PAUSE_SECONDS * 2 ** (attempt - 1), LONGEST_PAUSE_SECONDS);
  const until = now.add({ seconds });
  // A second more: at the moment itself it may still be sent.
  const end = latest?.add({ seconds: 1 });
  return end !== undefined && isBefore(now, end) && isBefore(end, until) ? end : until;
}

/** Until when a reminder may be sent, but for quiet hours. */
export function latestOf(
  { dueAt, notAfter, redrivenAt }: Pick<DueReminder, 'dueAt' | 'notAfter' | 'redrivenAt'>,
  maxLateness: Temporal.Duration,
): Temporal.Instant {
  const latest = (redrivenAt ?? dueAt).add(maxLateness);
  return redrivenAt === null && notAfter !== null && isBefore(notAfter, latest) ? notAfter : latest;
}

function sinceReset(story: readonly HistoryEntry[]): readonly HistoryEntry[] {
  return story.slice(story.findLastIndex(({ what }) => RESETS.has(what)) + 1);
}
