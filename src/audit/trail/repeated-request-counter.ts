import type { NewAuditEntry } from './audit-entry.writer.js';

/** How long requests are counted before their entry is written. */
const WINDOW_MS = 60_000;
/** Limits memory use and the number of entries written immediately during a flood of requests from many addresses. */
const MAX_KEYS = 1_000;
/** Replaces the address in entries for requests beyond `MAX_KEYS`. */
const OTHER_ADDRESSES = 'others';

type CountingWindow = { startedAt: number; count: number; first: NewAuditEntry | undefined };

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
  takeCompletedCounts(now: number): NewAuditEntry[] {
    const due = [...this.windows].filter(([, { startedAt }]) => now - startedAt >= WINDOW_MS);
    for (const [key, { count }] of due) if (count === 0) this.windows.delete(key);
    return due.flatMap(([, window]) => take(window, now));
  }

  /** Removes and returns all counts. */
  takeAllCounts(now: number): NewAuditEntry[] {
    return [...this.windows.values()].flatMap((window) => take(window, now));
  }

  /** Adds back counts that could not be written. */
  restoreCounts(rows: readonly NewAuditEntry[], now: number): void {
    for (const row of rows) {
      const key = `${row.address} ${row.operation} ${row.outcome}`;
      const window = this.windows.get(key) ?? { startedAt: now, count: 0, first: undefined };
      this.windows.set(key, window);
      add(window, row, row.count);
    }
  }
}

function add(window: CountingWindow, row: NewAuditEntry, count: number): true {
  window.first ??= row;
  window.count += count;
  return true;
}

function take(window: CountingWindow, now: number): NewAuditEntry[] {
  const { first, count } = window;
  Object.assign(window, { startedAt: now, count: 0, first: undefined } satisfies CountingWindow);
  return first === undefined ? [] : [{ ...first, count }];
}
