import { setTimeout as delay } from 'node:timers/promises';

const PAUSE_MS = 1_000;

/**
 * Repeats work that the database cannot do now, for as long as it takes: a full disk, a lock, a lost connection.
 *
 * @param isFinal whether another try would end the same
 * @throws an error that is final, or the last one once the signal is aborted
 */
export async function untilDatabaseAnswers<T>(
  work: () => Promise<T>,
  signal: AbortSignal,
  onFailure: (error: { name: string; code: unknown }) => void,
  isFinal: (error: unknown) => boolean = liesInData,
): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || isFinal(error)) throw error;
      onFailure({ name: classOf(error), code: codeOf(error) });
      await delay(PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Whether an error is of the values that were worked on: SQLSTATE class 22, or what JavaScript throws by itself. */
export function liesInData(error: unknown): boolean {
  return ['RangeError', 'TypeError', 'SyntaxError'].includes(classOf(error)) || /^22/.test(String(codeOf(error)));
}

/** The name alone: a message may hold values of a row. */
export function classOf(error: unknown): string {
  return Error.isError(error) ? error.name : typeof error;
}

function codeOf(error: unknown): unknown {
  return Error.isError(error) && 'code' in error ? error.code : undefined;
}
