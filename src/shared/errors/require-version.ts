import { PreconditionFailedError } from './application-error.js';

/**
 * The version that a caller expects a record to have. ABSENT: the record must not exist. Undefined: it may have any version,
 * and may not exist.
 */
export type ExpectedVersion = number | 'ABSENT' | undefined;

/**
 * Checks that a record has the version that the caller expects.
 *
 * @param record the stored record; null if there is none, which no version matches
 * @throws PreconditionFailedError if the record has another version
 */
export function requireVersion(record: { readonly version: number } | null, expected: ExpectedVersion): void {
  if (expected === undefined || expected === (record?.version ?? 'ABSENT')) return;
  throw new PreconditionFailedError(
    expected === 'ABSENT' ? 'The record exists already (If-None-Match: *).' : undefined,
  );
}
