import { createHash } from 'node:crypto';
import { z } from 'zod';
import { InvalidRequestError, SyncTokenExpiredError } from '../errors/index.js';
import { formatInstant } from '../persistence/index.js';
import { cursorInstantSchema, parseCursor, toCursor } from './page.js';
import type { RecordId, SyncPage, SyncQuery, Tombstone } from './sync-schemas.js';

/*
 * Synchronisation of lists (docs/api-guide.md, "Synchronise"). A pass is the sequence of pages from a call without
 * `cursor` to the page with the next sync token. Its records are sorted by the time of their last change.
 */

/**
 * How far a pass reads back before the time in its sync token. The time of a change is set before the change is
 * committed and can be read. The overlap covers the longest transaction of a request (`MAX_TRANSACTION_MS`) and the
 * differences between the clocks of instances.
 */
const SYNC_OVERLAP_SECONDS = 120;
/** Maximum age of a sync token in days, which limits the number of changes that one pass returns. */
const MAX_TOKEN_AGE_DAYS = 30;
/**
 * How long tombstones are kept. This is a little longer than the maximum age of a token, because a pass reads back some
 * time before its token.
 */
export const TOMBSTONE_RETENTION = { hours: MAX_TOKEN_AGE_DAYS * 24 + 1 } as const;

/** A position in the order of a pass: the time of a change, and an ID that orders changes with the same time. */
export type SyncPosition<Key extends RecordId = number> = { at: Temporal.Instant; id: Key };
/**
 * The state of one synchronisation call. A pass is the sequence of calls, page by page, that brings a caller up to
 * date.
 */
export type SyncPass<Key extends RecordId = number> = {
  /** Digests of the list and the caller, and of the filters. The next sync token contains them. */
  list: string;
  filters: string;
  /** When the first page of the pass was read. */
  startedAt: Temporal.Instant;
  /** Changes before this instant are not returned; undefined for a synchronisation without a token. */
  since?: Temporal.Instant;
  /** The position of the last record on the previous page; undefined on the first page. */
  after?: SyncPosition<Key>;
};
/** The changed records of one page, and the position after which the next page begins. */
export type SyncChanges<Id extends RecordId = number, Key extends RecordId = Id> = {
  changed: readonly { id: Id; version: number }[];
  next?: SyncPosition<Key> | undefined;
};

const tokenSchema = z.tuple([z.literal(1), z.string(), z.string(), cursorInstantSchema]);

/** Defines for which requests a sync token is valid. */
type SyncScope<Key extends RecordId = number> = {
  /** The name of the list, and the role and record ID of the caller. */
  list: readonly unknown[];
  /** The filters in the query. A later call must have the same filters. */
  filters: object;
  /** The default sort order of the list. A pass has its own order, so the request may not ask for another one. */
  defaultSort: string;
  /** The schema of the ID in the cursor of a page. */
  key: z.ZodType<Key>;
};

/**
 * Reads the query parameters of a synchronisation. Returns undefined if the request does not synchronise. Tokens are
 * neither secret nor signed: queries are restricted to what the caller may see, so a forged token can only make the
 * same caller miss changes.
 *
 * @throws InvalidRequestError (400) if the token belongs to other filters
 * @throws SyncTokenExpiredError (410) if the token is too old, or belongs to another caller or list
 */
export function openSyncPass<Key extends RecordId>(
  query: SyncQuery,
  scope: SyncScope<Key>,
  now: Temporal.Instant,
): SyncPass<Key> | undefined {
  const { sync, syncToken } = query;
  if (syncToken === undefined && !sync) return undefined;
  if (syncToken !== undefined && sync) throw invalidParameter('syncToken', 'must not be sent together with sync=true');
  refuseOrderAndCount(query, scope);
  const [at, id, startedAt] =
    parseCursor(query.cursor, z.tuple([cursorInstantSchema, scope.key, cursorInstantSchema])) ?? [];
  const [list, filters] = [toDigest(scope.list), toDigest(toEntries(scope.filters))];
  const pass: SyncPass<Key> = { list, filters, startedAt: startedAt ?? now };
  if (at !== undefined && id !== undefined) pass.after = { at, id };
  if (syncToken === undefined) return pass;
  return { ...pass, since: readToken(syncToken, pass, now).subtract({ seconds: SYNC_OVERLAP_SECONDS }) };
}

/**
 * Selects the records of one page.
 *
 * @param rows the changed records in the order of the pass; an extra row after `limit` means that there is a next page
 */
export function takeSyncChanges<Id extends RecordId>(
  rows: readonly (SyncPosition<Id> & { version: number })[],
  limit: number,
): SyncChanges<Id> {
  const changed = rows.slice(0, limit);
  return { changed, next: rows.length > limit ? changed.at(-1) : undefined };
}

/**
 * Creates the response page of a pass.
 *
 * @param items the changed records that the list now contains, keyed by ID; all other changed records become tombstones
 */
export function toSyncPage<T, Id extends RecordId, Key extends RecordId>(
  pass: SyncPass<Key>,
  { changed, next }: SyncChanges<Id, Key>,
  items: ReadonlyMap<Id, T>,
): SyncPage<T, Id> {
  const ids = [...new Set(changed.map(({ id }) => id))];
  const deleted = new Map<Id, Tombstone<Id>>(
    changed.flatMap(({ id, version }) => (items.has(id) ? [] : [[id, { id, version }] as const])),
  );
  return {
    items: ids.flatMap((id) => items.get(id) ?? []),
    deleted: [...deleted.values()],
    nextCursor: next === undefined ? null : toCursor([formatInstant(next.at), next.id, formatInstant(pass.startedAt)]),
    syncToken: next === undefined ? toCursor([1, pass.list, pass.filters, formatInstant(pass.startedAt)]) : null,
  };
}

/** Reads a sync token. Returns the start time of the pass that issued it. */
function readToken(
  token: string,
  { list, filters }: Pick<SyncPass, 'list' | 'filters'>,
  now: Temporal.Instant,
): Temporal.Instant {
  const [, issuedFor, issuedWith, startedAt] = parseToken(token);
  const ageHours = startedAt.until(now).total('hours');
  if (issuedFor !== list || ageHours > MAX_TOKEN_AGE_DAYS * 24) throw new SyncTokenExpiredError();
  if (issuedWith !== filters) throw invalidParameter('syncToken', 'was issued for other filters');
  return startedAt;
}

function parseToken(token: string): z.output<typeof tokenSchema> {
  try {
    return tokenSchema.parse(JSON.parse(Buffer.from(token, 'base64url').toString()));
  } catch {
    throw invalidParameter('syncToken', 'must be the syncToken of a list');
  }
}

function refuseOrderAndCount({ sort, count }: SyncQuery, { defaultSort }: Pick<SyncScope, 'defaultSort'>): void {
  if (sort !== undefined && (sort.field !== defaultSort || sort.direction === 'desc'))
    throw invalidParameter('sort', 'must be absent in a synchronisation, which has an order of its own');
  if (count !== undefined) throw invalidParameter('count', 'must be absent in a synchronisation');
}

function invalidParameter(name: string, detail: string): InvalidRequestError {
  return new InvalidRequestError([{ pointer: `/${name}`, detail }]);
}

/** Sorts the filters and their values, so that their order in the request does not matter. */
function toEntries(filters: object): unknown[] {
  return Object.entries(filters)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, Array.isArray(value) ? value.map(String).sort() : String(value)])
    .sort(([left], [right]) => (String(left) < String(right) ? -1 : 1));
}

function toDigest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 16);
}
