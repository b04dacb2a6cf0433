import { isDeepStrictEqual } from 'node:util';
import type { NewAuditEntry } from './audit-entry.writer.js';

/** How long requests are counted before their entry is written. */
const WINDOW_MS = 60_000;
/** Limits memory use and the number of entries written immediately during a flood of requests from many addresses. */
const MAX_KEYS = 1_000;
/** Replaces the address in entries for requests beyond `MAX_KEYS`. */
const OTHER_ADDRESSES = 'others';

type CountingWindow = { startedAt: number; count: number; first: NewAuditEntry | undefined };

/** The entry for the requests of one window, and the key of that window. */
export type CountedRequests = { key: string; entry: NewAuditEntry };

/** Counts denied requests without a token. The first is written immediately; repetitions are counted for a minute. */
export class RepeatedRequestCounter {
  private readonly windows = new Map<string, CountingWindow>();

  /**
   * Counts a request that repeats an earlier one with the same key.
   *
   * @returns false for the first request with a key, which is not counted
   */
  count(key: string, row: NewAuditEntry, now: number): boolean {
    const existing = this.windows.get(key);
    if (existing !== undefined) return add(existing, row, 1);
    if (this.windows.size < MAX_KEYS) {
      this.windows.set(key, { startedAt: now, count: 0, first: undefined });
      return false;
    }
    // Requests beyond `MAX_KEYS` share one window for each operation and outcome.
    const sharedKey = `${row.operation} ${row.outcome}`;
    const window = this.windows.get(sharedKey) ?? { startedAt: now, count: 0, first: undefined };
    this.windows.set(sharedKey, window);
    return add(window, { ...row, address: OTHER_ADDRESSES }, 1);
  }

  /** Removes and returns the counts of completed windows. Keys without repetitions are removed. */
  takeCompletedCounts(now: number): CountedRequests[] {
    const due = [...this.windows].filter(([, { startedAt }]) => now - startedAt >= WINDOW_MS);
    for (const [key, { count }] of due) if (count === 0) this.windows.delete(key);
    return due.flatMap(([key, window]) => take(key, window, now));
  }

  /** Removes and returns all counts. */
  takeAllCounts(now: number): CountedRequests[] {
    return [...this.windows].flatMap(([key, window]) => take(key, window, now));
  }

  /** Adds back counts that could not be written. */
  restoreCounts(counted: readonly CountedRequests[], now: number): void {
    for (const { key, entry } of counted) {
      const window = this.windows.get(key) ?? { startedAt: now, count: 0, first: undefined };
      this.windows.set(key, window);
      add(window, entry, entry.count);
    }
  }
}

/** Requests of different links or callers are counted without a caller, because no single Clinic is concerned. */
function add(window: CountingWindow, entry: NewAuditEntry, count: number): true {
  const { first } = window;
  window.first ??= entry;
  if (first !== undefined && !isDeepStrictEqual(first.actor, entry.actor))
    window.first = { ...first, actor: { role: 'NOBODY' } };
  window.count += count;
  return true;
}

function take(key: string, window: CountingWindow, now: number): CountedRequests[] {
  const { first, count } = window;
  Object.assign(window, { startedAt: now, count: 0, first: undefined } satisfies CountingWindow);
  return first === undefined ? [] : [{ key, entry: { ...first, count } }];
}
