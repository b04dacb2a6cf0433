import type { FilterQuery } from '@mikro-orm/core';
import { z } from 'zod';
import { afterKey, oneOfEach } from '../../shared/persistence/index.js';
import { instantKeySchema, parseCursor, type SortOrder } from '../../shared/validation/index.js';
import type { Session } from '../domain/session.entity.js';
import type { SessionQuery, SessionSort } from './dto/session-query.js';

/** The filters of the Session list, without the parameters of the page. */
export function pickSessionFilters({ seriesId, clientId, caregiverId, designPlanId, status, from, to }: SessionQuery) {
  return { seriesId, clientId, caregiverId, designPlanId, status, from, to };
}

export function toSessionFilter(query: SessionQuery): FilterQuery<Session> {
  const { from, to, ...several } = pickSessionFilters(query);
  return {
    ...oneOfEach(several),
    $and: [from === undefined ? {} : { startsAt: { $gte: from } }, to === undefined ? {} : { startsAt: { $lt: to } }],
  };
}

const sessionKey = z.tuple([instantKeySchema, z.int()]);

/** Selects the Sessions after the cursor, in the order of the list. */
export function toCursorFilter(
  cursor: string | undefined,
  { field, direction }: SortOrder<SessionSort>,
): FilterQuery<Session> {
  const key = parseCursor(cursor, sessionKey);
  return key === undefined ? {} : afterKey(field, direction, ...key);
}
