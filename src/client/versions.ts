/**
 * The version of a record that a change is based on: a record that this client has read, an `ETag`, or the number of the
 * version.
 */
export type Version = string | number | object;

/** The `ETag` of each record that was read. Entries disappear with their records. */
const tags = new WeakMap<object, string>();

/** Remembers the `ETag` with which a record was read. */
export function rememberTag(record: unknown, tag: string | null): void {
  if (typeof record === 'object' && record !== null && tag !== null) tags.set(record, tag);
}

/** The value of `If-Match` for a version. @throws TypeError if the record has no version */
export function toTag(version: unknown): string {
  if (typeof version === 'number') return `"${version}"`;
  if (typeof version === 'string') return /^(\*|(W\/)?".*")$/.test(version) ? version : `"${version}"`;
  if (typeof version === 'object' && version !== null) {
    const tag = tags.get(version);
    if (tag !== undefined) return tag;
    if ('version' in version && typeof version.version === 'number') return `"${version.version}"`;
  }
  throw new TypeError('The record has no version: hand over a record as the client has returned it, or its ETag.');
}
