import { createHash } from 'node:crypto';
import { z } from 'zod';
import { InvalidRequestError, SyncTokenExpiredError } from '../errors/index.js';
import { formatInstant } from '../persistence/index.js';
import { countedPageShape, instantKeySchema, parseCursor, toCursor, type CountMode, type Page } from './page.js';
import { booleanQuery, type SortOrder } from './query-types.js';
import { longId } from './wire-types.js';

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

/** Query parameters of a list that can be synchronised. */
export const syncQuery = {
  sync: booleanQuery.optional().meta({
    description:
      'true: starts a synchronisation. Records are in the order of their last change, and the last page has a `syncToken`.',
    example: 'true',
  }),
  syncToken: z.string().max(200, 'must be the syncToken of a list').optional().meta({
    description:
      'Returns the changes since the token was issued. `deleted` contains records that are no longer in the list. The caller and the filters must be the same as when the token was issued.',
  }),
};
export type SyncQuery = {
  sync?: boolean | undefined;
  syncToken?: string | undefined;
  cursor?: string | undefined;
  count?: CountMode | undefined;
  sort?: SortOrder | undefined;
};

const tombstoneSchema = z.object({
  id: longId('The record that the list does not contain.', 11),
  version: z.int().meta({ description: 'The version of the record at that time.', example: 2 }),
});
export type Tombstone = z.output<typeof tombstoneSchema>;

export type SyncPage<T> = Page<T> & { deleted?: Tombstone[]; syncToken?: string | null };

/** Creates the response schema for one page of a list that can be synchronised. */
export const syncPageSchema = <T extends z.ZodType>(item: T, id: string) =>
  z
    .object({
      ...countedPageShape(item),
      deleted: z.array(tombstoneSchema).optional().meta({
        description:
          'Only while synchronising: changed records that the list does not contain, because the caller may no longer see them or they no longer match the filters. The list may never have contained some of them.',
      }),
      syncToken: z.string().nullable().optional().meta({
        description: 'Only while synchronising: token for the next synchronisation; null except on the last page.',
        example: null,
      }),
    })
    .meta({ id, description: 'One page of a list.' });

/** The last record on a page of a pass. */
export type SyncPosition = { at: Temporal.Instant; id: number };
/**
 * The state of one synchronisation call. A pass is the sequence of calls, page by page, that brings a caller up to
 * date.
 */
export type SyncPass = {
  /** What the next token contains: the list, the caller and the filters as digests. */
  list: string;
  filters: string;
  /** When the first page of the pass was read. */
  startedAt: Temporal.Instant;
  /** Changes before this instant are not returned; absent in the first pass. */
  since?: Temporal.Instant;
  /** The last record on the page before. */
  after?: SyncPosition;
};

const tokenSchema = z.tuple([z.literal(1), z.string(), z.string(), instantKeySchema]);
const positionSchema = z.tuple([instantKeySchema, z.int(), instantKeySchema]);

/** The request properties for which a sync token is valid. */
export type SyncScope = {
  /** The list, and the role and record of the caller. */
  list: readonly unknown[];
  /** The filters of the call. */
  filters: object;
  /** The default order of the list. A pass has an order of its own, so another one is refused. */
  defaultSort: string;
};

/**
 * Reads the parameters of a call that synchronises. Returns undefined for other calls. A token is not secret and not
 * signed: all queries are restricted to the caller, so an altered token only changes what the same caller misses.
 *
 * @throws InvalidRequestError (400) for a token of other filters
 * @throws SyncTokenExpiredError (410) for a token that is too old, or of another caller or list
 */
export function openSyncPass(query: SyncQuery, scope: SyncScope, now: Temporal.Instant): SyncPass | undefined {
  const { sync, syncToken } = query;
  if (syncToken === undefined && !sync) return undefined;
  if (syncToken !== undefined && sync) throw invalidParameter('syncToken', 'must not be sent together with sync=true');
  refuseOrderAndCount(query, scope);
  const [at, id, startedAt] = parseCursor(query.cursor, positionSchema) ?? [];
  const [list, filters] = [toDigest(scope.list), toDigest(toEntries(scope.filters))];
  const pass: SyncPass = { list, filters, startedAt: startedAt ?? now };
  if (at !== undefined && id !== undefined) pass.after = { at, id };
  if (syncToken === undefined) return pass;
  return { ...pass, since: readToken(syncToken, pass, now).subtract({ seconds: SYNC_OVERLAP_SECONDS }) };
}

/**
 * Creates a page of a pass.
 *
 * @param rows the changed records, at most `limit + 1`, in the order of their last change
 * @param items the records that are in the list now, by ID; the others become tombstones
 */
export function toSyncPage<T>(
  pass: SyncPass,
  rows: readonly (SyncPosition & { version: number })[],
  limit: number,
  items: ReadonlyMap<number, T>,
): SyncPage<T> {
  const shown = rows.slice(0, limit);
  const ids = [...new Set(shown.map(({ id }) => id))];
  const deleted = new Map(shown.flatMap(({ id, version }) => (items.has(id) ? [] : [[id, { id, version }] as const])));
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return {
    items: ids.flatMap((id) => items.get(id) ?? []),
    deleted: [...deleted.values()],
    nextCursor: last === undefined ? null : toCursor([formatInstant(last.at), last.id, formatInstant(pass.startedAt)]),
    syncToken: last === undefined ? toCursor([1, pass.list, pass.filters, formatInstant(pass.startedAt)]) : null,
  };
}

/** Reads a sync token. Returns the time at which the pass that issued it started. */
function readToken(token: string, { list, filters }: SyncPass, now: Temporal.Instant): Temporal.Instant {
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

function refuseOrderAndCount({ sort, count }: SyncQuery, { defaultSort }: SyncScope): void {
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
