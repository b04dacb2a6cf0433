import { setTimeout as delay } from 'node:timers/promises';
import { findErrorCode, getErrorClassName } from '../../shared/errors/index.js';

export const DATABASE_RETRY_DELAY_MS = 1_000;

/**
 * Retries an operation while the database cannot execute it, for example because of a full disk, a lock or a lost
 * connection. The number of attempts is not limited.
 *
 * @param isFinal whether an error would occur again in every attempt
 * @throws a final error, or the last error once the signal is aborted
 */
export async function retryWhileDatabaseFails<T>(
  operation: () => Promise<T>,
  signal: AbortSignal,
  onFailure: (error: { name: string; code: unknown }) => void,
  isFinal: (error: unknown) => boolean,
): Promise<T> {
  for (;;) {
    try {
      return await operation();
    } catch (error) {
      if (signal.aborted || isFinal(error)) throw error;
      onFailure({ name: getErrorClassName(error), code: findErrorCode(error) });
      await delay(DATABASE_RETRY_DELAY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Whether the data caused an error: SQLSTATE class 22, or a RangeError, TypeError or SyntaxError. */
export function isDataError(error: unknown): boolean {
  return (
    ['RangeError', 'TypeError', 'SyntaxError'].includes(getErrorClassName(error)) ||
    /^22/.test(String(findErrorCode(error)))
  );
}
