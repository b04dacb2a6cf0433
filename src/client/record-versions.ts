/**
 * The version of a record on which a change is based: a record that this client has read, an `ETag`, or a version
 * number.
 */
export type RecordVersion = string | number | object;

/** The `ETag` of each record that was read. The map does not keep a record in memory that the caller no longer uses. */
const tags = new WeakMap<object, string>();

/**
 * Remembers the `ETag` with which a record was read. A weak `ETag` identifies a response, not the version of a record.
 */
export function rememberEtag(record: unknown, tag: string | null): void {
  if (typeof record === 'object' && record !== null && tag !== null && !tag.startsWith('W/')) tags.set(record, tag);
}

/** Returns the value of `If-Match` for a version. @throws TypeError if the record has no version */
export function toIfMatch(version: unknown): string {
  if (typeof version === 'number') return `"${version}"`;
  if (typeof version === 'string') return /^(\*|(W\/)?".*")$/.test(version) ? version : `"${version}"`;
  if (typeof version === 'object' && version !== null) {
    const tag = tags.get(version);
    if (tag !== undefined) return tag;
    if ('version' in version && typeof version.version === 'number') return `"${version.version}"`;
  }
  throw new TypeError('The record has no version: hand over a record as the client has returned it, or its ETag.');
}
