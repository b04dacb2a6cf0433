import { PreconditionFailedError } from '../../shared/errors/index.js';

type Versioned = { version: number };

/** Sets fields of a record. Increments the version of the record if one of the values differs. */
export function changeFields<R extends Versioned>(record: R, fields: Partial<R>): void {
  const isSame = Object.entries(fields).every(([field, value]) => Reflect.get(record, field) === value);
  if (!isSame) Object.assign(record, fields, { version: record.version + 1 });
}

/**
 * Checks that the caller has read the current version of a record.
 *
 * @param seenVersion the version that the caller has read; if undefined, any version is accepted
 * @throws PreconditionFailedError if the record has another version
 */
export function requireVersion({ version }: Versioned, seenVersion: number | undefined): void {
  if (seenVersion !== undefined && seenVersion !== version) throw new PreconditionFailedError();
}
