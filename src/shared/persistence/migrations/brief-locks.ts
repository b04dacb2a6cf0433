import { setTimeout as delay } from 'node:timers/promises';
import { findRootCause } from '../../errors/index.js';

/** Maximum time that a schema change waits for a lock. Statements that queue behind it may wait as long. */
const LOCK_TIMEOUT = '2s';
const ATTEMPTS = 30;
const RETRY_MS = 1_000;
/** SQLSTATEs of a lock that was not acquired in time, and of a deadlock. */
const LOCK_FAILURES = new Set<string | undefined>(['55P03', '40P01']);

/** Makes the statements of the transaction wait for locks for a short time only. */
export const WAIT_BRIEFLY_STATEMENT = `set local lock_timeout = '${LOCK_TIMEOUT}'`;

/** A table could not be locked, because another transaction uses it for a long time. Nothing was changed. */
export class TableInUseError extends Error {
  constructor(cause: unknown) {
    super(
      'Another transaction uses a table for a long time, such as a backup. Nothing was changed: run "npm run migrate" again when it has ended.',
      { cause },
    );
  }
}

/**
 * Repeats a transaction that changes the schema while it cannot lock its tables. While it waits for a lock, requests
 * queue behind it, so it must not wait until a backup or an export has ended.
 *
 * @throws TableInUseError if the tables cannot be locked in any attempt
 */
export async function retryWhileTablesAreInUse<T>(change: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await change();
    } catch (error) {
      if (!LOCK_FAILURES.has(findRootCause(error).code)) throw error;
      if (attempt === ATTEMPTS) throw new TableInUseError(error);
      await delay(RETRY_MS);
    }
  }
}
