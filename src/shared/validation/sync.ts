import { createHash } from 'node:crypto';
import { z } from 'zod';
import { InvalidRequestError, SyncTokenExpiredError } from '../errors/index.js';
import { formatInstant } from '../persistence/index.js';
import { instantKeySchema, parseCursor, toCursor } from './page.js';
import type { RecordId, SyncPage, SyncQuery, Tombstone } from './sync-schemas.js';

/*
 * Synchronisation of a list (docs/api-guide.md, "Synchronise"). One pass consists of the pages from a call without
 * `cursor` to the page with the next sync token. A pass returns records in the order of their last change.
 */

/**
 * How far a pass reaches back before the start of the pass that issued its token. A record has the time at which the
 * service changed it, but it can be read only after the commit. The overlap covers the longest transaction of a request
 * (`MAX_TRANSACTION_MS`) and the difference between the clocks of instances.
 */
export const SYNC_OVERLAP_SECONDS = 120;
/** Maximum age of a sync token in days, which limits the number of changes that one pass returns. */
const MAX_TOKEN_AGE_DAYS = 30;
/**
 * How long tombstones must be kept: as long as a token can need them, and a little longer. A pass with the oldest valid
 * token reads from the overlap before its start.
 */
export const TOMBSTONE_RETENTION = { hours: MAX_TOKEN_AGE_DAYS * 24 + 1 } as const;

/** A place in the order of a pass: the time of a change, and what orders changes of the same time. */
export type SyncPosition<Key extends RecordId = number> = { at: Temporal.Instant; id: Key };
/**
 * The state of one synchronisation call. A pass is the sequence of calls, page by page, that brings a caller up to
 * date.
 */
export type SyncPass<Key extends RecordId = number> = {
  /** What the next token contains: the list, the caller and the filters as digests. */
  list: string;
  filters: string;
  /** When the first page of the pass was read. */
  startedAt: Temporal.Instant;
  /** Changes before this instant are not returned; absent in the first pass. */
  since?: Temporal.Instant;
  /** The last record on the page before. */
  after?: SyncPosition<Key>;
};
/** The changed records of one page, and the position after which the next page begins. */
export type SyncChanges<Id extends RecordId = number, Key extends RecordId = Id> = {
  changed: readonly { id: Id; version: number }[];
  next?: SyncPosition<Key> | undefined;
};

const tokenSchema = z.tuple([z.literal(1), z.string(), z.string(), instantKeySchema]);

/** The request properties for which a sync token is valid. */
export type SyncScope<Key extends RecordId = number> = {
  /** The list, and the role and record of the caller. */
  list: readonly unknown[];
  /** The filters of the call. */
  filters: object;
  /** The default order of the list. A pass has an order of its own, so another one is refused. */
  defaultSort: string;
  /** Reads the `id` of a position from a cursor. */
  key: z.ZodType<Key>;
};

/**
 * Reads the parameters of a call that synchronises. Returns undefined for other calls. A token is not secret and not
 * signed: all queries are restricted to the caller, so an altered token only changes what the same caller misses.
 *
 * @throws InvalidRequestError (400) for a token of other filters
 * @throws SyncTokenExpiredError (410) for a token that is too old, or of another caller or list
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
  const [at, id, startedAt] = parseCursor(query.cursor, z.tuple([instantKeySchema, scope.key, instantKeySchema])) ?? [];
  const [list, filters] = [toDigest(scope.list), toDigest(toEntries(scope.filters))];
  const pass: SyncPass<Key> = { list, filters, startedAt: startedAt ?? now };
  if (at !== undefined && id !== undefined) pass.after = { at, id };
  if (syncToken === undefined) return pass;
  return { ...pass, since: readToken(syncToken, pass, now).subtract({ seconds: SYNC_OVERLAP_SECONDS }) };
}

/**
 * Takes the records of one page.
 *
 * @param rows the changed records, at most `limit + 1`, in the order of the pass
 */
export function takeSyncChanges<Id extends RecordId>(
  rows: readonly (SyncPosition<Id> & { version: number })[],
  limit: number,
): SyncChanges<Id> {
  const changed = rows.slice(0, limit);
  return { changed, next: rows.length > limit ? changed.at(-1) : undefined };
}

/**
 * Creates a page of a pass.
 *
 * @param items the records that are in the list now, by ID; the others become tombstones
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

/** Reads a sync token. Returns the time at which the pass that issued it started. */
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

/** Sorted, so that the order of parameters and of their values does not matter. */
function toEntries(filters: object): unknown[] {
  return Object.entries(filters)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, Array.isArray(value) ? value.map(String).sort() : String(value)])
    .sort(([left], [right]) => (String(left) < String(right) ? -1 : 1));
}

function toDigest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 16);
}
