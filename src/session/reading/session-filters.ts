import type { FilterQuery } from '@mikro-orm/core';
import { z } from 'zod';
import { instantKeySchema, parseCursor, type SortOrder } from '../../shared/validation/index.js';
import type { Session } from '../domain/session.entity.js';
import type { SessionQuery, SessionSort } from './dto/session-query.js';

/** The filters of the Session list, without the parameters of the page. */
export function pickSessionFilters({ seriesId, clientId, caregiverId, designPlanId, status, from, to }: SessionQuery) {
  return { seriesId, clientId, caregiverId, designPlanId, status, from, to };
}

export function toSessionFilter(query: SessionQuery): FilterQuery<Session> {
  const { from, to, ...several } = pickSessionFilters(query);
  const wanted = Object.entries(several).flatMap(([name, values]) =>
    values === undefined ? [] : [[name, toCondition<unknown>(values)] as const],
  );
  return {
    ...Object.fromEntries(wanted),
    $and: [from === undefined ? {} : { startsAt: { $gte: from } }, to === undefined ? {} : { startsAt: { $lt: to } }],
  };
}

/** With one value, PostgreSQL can read the rows in the order of an index that begins with the column. */
function toCondition<Value>(values: readonly Value[]): Value | { $in: readonly Value[] } {
  return values.length === 1 ? values[0]! : { $in: values };
}

const sessionKey = z.tuple([instantKeySchema, z.int()]);

/** Selects the Sessions after the cursor, in the order of the list. */
export function toCursorFilter(
  cursor: string | undefined,
  { field, direction }: SortOrder<SessionSort>,
): FilterQuery<Session> {
  const key = parseCursor(cursor, sessionKey);
  return key === undefined ? {} : toRestFilter(field, direction, ...key);
}

/** Selects the Sessions after the given one. */
export function toRestFilter(
  field: SessionSort,
  direction: SortOrder['direction'],
  at: Temporal.Instant,
  id: number,
): FilterQuery<Session> {
  const [from, beyond] = direction === 'asc' ? (['$gte', '$gt'] as const) : (['$lte', '$lt'] as const);
  // The leading range is required: without it, a Session before the cursor could match by its ID alone. The range also
  // lets PostgreSQL start the index scan at the cursor.
  return { [field]: { [from]: at }, $or: [{ [field]: { [beyond]: at } }, { id: { [beyond]: id } }] };
}
