import { z } from 'zod';
import { InvalidRequestError } from '../errors/index.js';
import { isStorableInstant } from '../persistence/index.js';
import type { SortOrder } from './query-types.js';

/** Query parameters of every list (docs/decisions.md, "Lists"). Query values are strings. */
export const pageQuery = z.object({
  limit: z
    .string()
    .regex(/^\d{1,3}$/, 'must be an integer from 1 to 200')
    .transform(Number)
    .refine((limit) => limit >= 1 && limit <= 200, 'must be an integer from 1 to 200')
    .default(50)
    .meta({
      description: 'Maximum number of items, 1 to 200. Default: 50.',
      // The OpenAPI document shows an integer, although the query value is a string.
      type: 'integer',
      pattern: undefined,
      minimum: 1,
      maximum: 200,
      default: 50,
    }),
  cursor: z.string().max(300).optional().meta({ description: 'The `nextCursor` of the previous page.' }),
});

export type PageQuery = z.output<typeof pageQuery>;
export type Page<T> = { items: T[]; nextCursor: string | null; count?: ListCount };

/** Maximum number of items to count, which limits the work. `isExact` is false for longer lists. */
const COUNT_LIMITS = { exact: 10_000, estimated: 1_000 } as const;
export type CountMode = keyof typeof COUNT_LIMITS;
/** The number of items in the whole list. If `isExact` is false, there are more than `value`. */
type ListCount = { value: number; isExact: boolean };

/** The schema of the query parameter `count`, with which a caller asks for the number of items in a list. */
export const countQuery = z.enum(['exact', 'estimated'], { error: 'must be exact or estimated' }).optional().meta({
  description:
    'Adds `count`, the number of items on all pages. exact: counted up to 10,000; estimated: up to 1,000, which is faster.',
  example: 'exact',
});

const listCountSchema = z
  .object({
    value: z.int().min(0).meta({ description: 'The number of items on all pages.', example: 3 }),
    isExact: z
      .boolean()
      .meta({ description: 'false: there are more than `value`; no more are counted.', example: true }),
  })
  .meta({ id: 'ListCount', description: 'With `count`: the number of items on all pages.' })
  .optional();

/**
 * Counts the items of a list if the request asks for it, and returns nothing otherwise. The caller spreads the result
 * into the page.
 *
 * @param countUpTo counts the items of the list up to the given number
 */
export async function countItemsIfRequested(
  mode: CountMode | undefined,
  countUpTo: (maximum: number) => number | Promise<number>,
): Promise<{ count?: ListCount }> {
  if (mode === undefined) return {};
  const limit = COUNT_LIMITS[mode];
  const counted = await countUpTo(limit + 1);
  return { count: { value: Math.min(counted, limit), isExact: counted <= limit } };
}

/** Returns the fields of the response schema for one page of a list. */
const pageShape = <T extends z.ZodType>(item: T) => ({
  items: z.array(item).meta({ description: 'The items.' }),
  nextCursor: z
    .string()
    .nullable()
    .meta({ description: 'Value of `cursor` for the next page; null on the last page.', example: null }),
});

/** Creates the response schema for one page of a list. */
export const pageSchema = <T extends z.ZodType>(item: T, id: string) =>
  z.object(pageShape(item)).meta({ id, description: 'One page.' });

/** Returns the fields of the response schema for one page of a list that supports the query parameter `count`. */
export const countedPageShape = <T extends z.ZodType>(item: T) => ({
  ...pageShape(item),
  count: listCountSchema,
});

/** Creates the response schema for one page of a list that supports the query parameter `count`. */
export const countedPageSchema = <T extends z.ZodType>(item: T, id: string) =>
  z.object(countedPageShape(item)).meta({ id, description: 'One page.' });

/**
 * Creates a page of at most `limit` items.
 *
 * @param rows up to `limit + 1` rows; an extra row means that there is a next page
 * @param keyOf returns the sort key of a row, which must be unique
 * @param order the order of the list, if the caller can choose it
 */
export function toPage<Row, Item>(
  rows: readonly Row[],
  limit: number,
  keyOf: (row: Row) => readonly (string | number)[],
  toItem: (row: Row) => Item,
  order?: Pick<SortOrder, 'cursorTag'>,
): Page<Item> {
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  // The default order has no tag, so that its cursors are those of earlier releases.
  const tag = order?.cursorTag === undefined ? [] : [order.cursorTag];
  return { items: shown.map(toItem), nextCursor: last === undefined ? null : toCursor([...keyOf(last), ...tag]) };
}

/** An instant in a cursor. Rejects instants that PostgreSQL cannot store, which a forged cursor may contain. */
export const cursorInstantSchema = z.iso
  .datetime({ precision: 3 })
  .transform((text) => Temporal.Instant.from(text))
  .refine(isStorableInstant);

/**
 * Decodes a cursor to the sort key of the last item on the previous page.
 *
 * @param order the order of the list, if the caller can choose it
 * @throws InvalidRequestError (400) if the cursor is of another order, or the key does not match the schema
 */
export function parseCursor<Key extends z.ZodType>(
  cursor: string | undefined,
  key: Key,
  order?: Pick<SortOrder, 'cursorTag'>,
): z.output<Key> | undefined {
  if (cursor === undefined) return undefined;
  const decoded = decodeCursor(cursor);
  const tag = order?.cursorTag;
  if (tag !== undefined && !(Array.isArray(decoded) && decoded.pop() === tag)) throw invalidCursorError();
  const result = key.safeParse(decoded);
  if (!result.success) throw invalidCursorError();
  return result.data;
}

/** Creates the error (400) for a cursor that this service cannot have created. */
export function invalidCursorError(): InvalidRequestError {
  return new InvalidRequestError([{ pointer: '/cursor', detail: 'must be the nextCursor of a page' }]);
}

/** Encodes the sort key of an item as a cursor. The next page starts after that item. */
export function toCursor(key: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

function decodeCursor(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
}
