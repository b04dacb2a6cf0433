import type { AuditRow } from './audit-entry.writer.js';

/** How long denials are counted before their entry is written. */
const WINDOW_MS = 60_000;
/** Keeps a flood of addresses from filling the memory, and the audit trail with their first denials. */
const MAX_KEYS = 1_000;
/** In the place of the address, of denials beyond that. */
const OTHER_ADDRESSES = 'others';

type Window = { since: number; count: number; first: AuditRow | undefined };

/** Denials without a token: the first is written at once, and what repeats it is counted for a minute. */
export class RepeatedDenials {
  private readonly windows = new Map<string, Window>();

  /**
   * Counts a denial that repeats an earlier one of the same key.
   *
   * @returns false for the first of its key: it is not counted
   */
  count(key: string, row: AuditRow, now: number): boolean {
    const known = this.windows.get(key);
    if (known !== undefined) return add(known, row, 1);
    if (this.windows.size < MAX_KEYS) {
      this.windows.set(key, { since: now, count: 0, first: undefined });
      return false;
    }
    // As many as there are operations and outcomes.
    const rest = `${row.operation} ${row.outcome}`;
    const window = this.windows.get(rest) ?? { since: now, count: 0, first: undefined };
    this.windows.set(rest, window);
    return add(window, { ...row, address: OTHER_ADDRESSES }, 1);
  }

  /** Takes out what was counted for a minute; what has not been repeated for as long is forgotten. */
  takeDue(now: number): AuditRow[] {
    const due = [...this.windows].filter(([, { since }]) => now - since >= WINDOW_MS);
    for (const [key, { count }] of due) if (count === 0) this.windows.delete(key);
    return due.flatMap(([, window]) => take(window, now));
  }

  /** Takes out all that was counted. */
  takeAll(now: number): AuditRow[] {
    return [...this.windows.values()].flatMap((window) => take(window, now));
  }

  /** Gives back what could not be written. */
  giveBack(rows: readonly AuditRow[], now: number): void {
    for (const row of rows) {
      const key = `${row.address} ${row.operation} ${row.outcome}`;
      const window = this.windows.get(key) ?? { since: now, count: 0, first: undefined };
      this.windows.set(key, window);
      add(window, row, row.count);
    }
  }
}

function add(window: Window, row: AuditRow, count: number): true {
  window.first ??= row;
  window.count += count;
  return true;
}

function take(window: Window, now: number): AuditRow[] {
  const { first, count } = window;
  Object.assign(window, { since: now, count: 0, first: undefined });
  return first === undefined ? [] : [{ ...first, count }];
}
