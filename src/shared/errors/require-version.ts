import { PreconditionFailedError } from './application-error.js';

/**
 * Checks that the caller has read the current version of a record.
 *
 * @param record the stored record; null if there is none, which no version matches
 * @param seenVersion the version that the caller has read; if undefined, any version is accepted
 * @throws PreconditionFailedError if the record has another version
 */
export function requireVersion(record: { readonly version: number } | null, seenVersion: number | undefined): void {
  if (seenVersion !== undefined && seenVersion !== record?.version) throw new PreconditionFailedError();
}
