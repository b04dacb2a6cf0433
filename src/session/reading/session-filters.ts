import type { FilterQuery } from '@mikro-orm/core';
import { z } from 'zod';
import { toAfterKeyFilter, toOneOfFilters } from '../../shared/persistence/index.js';
import { cursorInstantSchema, parseCursor, type SortOrder } from '../../shared/validation/index.js';
import type { Session } from '../domain/session.entity.js';
import type { SessionQuery, SessionSort } from './dto/session-query.js';

/** Returns the parameters of a list query that select Sessions: those for paging, order and content are left out. */
export function pickSessionFilters({ seriesId, clientId, caregiverId, designPlanId, status, from, to }: SessionQuery) {
  return { seriesId, clientId, caregiverId, designPlanId, status, from, to };
}

/** Builds the database condition for the filters of a list query. */
export function toSessionFilter(query: SessionQuery): FilterQuery<Session> {
  const { from, to, ...several } = pickSessionFilters(query);
  return {
    ...toOneOfFilters(several),
    $and: [from === undefined ? {} : { startsAt: { $gte: from } }, to === undefined ? {} : { startsAt: { $lt: to } }],
  };
}

const sessionKey = z.tuple([cursorInstantSchema, z.int()]);

/** Builds the condition for the Sessions after a cursor, in the order of the list. */
export function toSessionCursorFilter(cursor: string | undefined, order: SortOrder<SessionSort>): FilterQuery<Session> {
  const key = parseCursor(cursor, sessionKey, order);
  return key === undefined ? {} : toAfterKeyFilter(order.field, order.direction, ...key);
}
