import type { NewAuditEntry } from './audit-entry.writer.js';

/** How long denials are counted before their entry is written. */
const WINDOW_MS = 60_000;
/** Keeps a flood of addresses from filling the memory, and the audit trail with their first denials. */
const MAX_KEYS = 1_000;
/** In the place of the address, of denials beyond that. */
const OTHER_ADDRESSES = 'others';

type CountingWindow = { startedAt: number; count: number; first: NewAuditEntry | undefined };

/** Denials without a token: the first is written at once, and what repeats it is counted for a minute. */
export class RepeatedRequests {
  private readonly windows = new Map<string, CountingWindow>();

  /**
   * Counts a denial that repeats an earlier one of the same key.
   *
   * @returns false for the first of its key: it is not counted
   */
  count(key: string, row: NewAuditEntry, now: number): boolean {
    const known = this.windows.get(key);
    if (known !== undefined) return add(known, row, 1);
    if (this.windows.size < MAX_KEYS) {
      this.windows.set(key, { startedAt: now, count: 0, first: undefined });
      return false;
    }
    // As many as there are operations and outcomes.
    const rest = `${row.operation} ${row.outcome}`;
    const window = this.windows.get(rest) ?? { startedAt: now, count: 0, first: undefined };
    this.windows.set(rest, window);
    return add(window, { ...row, address: OTHER_ADDRESSES }, 1);
  }

  /** Takes out what was counted for a minute; what has not been repeated for as long is forgotten. */
  takeElapsed(now: number): NewAuditEntry[] {
    const due = [...this.windows].filter(([, { startedAt }]) => now - startedAt >= WINDOW_MS);
    for (const [key, { count }] of due) if (count === 0) this.windows.delete(key);
    return due.flatMap(([, window]) => take(window, now));
  }

  /** Takes out all that was counted. */
  takeAll(now: number): NewAuditEntry[] {
    return [...this.windows.values()].flatMap((window) => take(window, now));
  }

  /** Gives back what could not be written. */
  restore(rows: readonly NewAuditEntry[], now: number): void {
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
  Object.assign(window, { since: now, count: 0, first: undefined });
  return first === undefined ? [] : [{ ...first, count }];
}
