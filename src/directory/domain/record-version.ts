import { PreconditionFailedError } from '../../shared/errors/index.js';

type Versioned = { version: number };

/** Sets the fields, and counts the change if one of them differs. */
export function changeFields<R extends Versioned>(record: R, fields: Partial<R>): void {
  const isSame = Object.entries(fields).every(([field, value]) => Reflect.get(record, field) === value);
  if (!isSame) Object.assign(record, fields, { version: record.version + 1 });
}

/**
 * @param seenVersion the version that the caller has read; if undefined, any version is accepted
 * @throws PreconditionFailedError if the record has another version
 */
export function requireVersion({ version }: Versioned, seenVersion: number | undefined): void {
  if (seenVersion !== undefined && seenVersion !== version) throw new PreconditionFailedError();
}
