import type { FilterQuery } from '@mikro-orm/core';
import { z } from 'zod';
import { instantKeySchema, parseCursor } from '../../shared/validation/index.js';
import type { Session } from '../domain/session.entity.js';
import type { SessionQuery } from './dto/session-query.js';

export function toSessionFilter({ from, to, ...equal }: SessionQuery): FilterQuery<Session> {
  const { seriesId, clientId, caregiverId, designPlanId, status } = equal;
  const wanted = Object.entries({ seriesId, clientId, caregiverId, designPlanId, status });
  return {
    ...Object.fromEntries(wanted.filter(([, value]) => value !== undefined)),
    $and: [from === undefined ? {} : { startsAt: { $gte: from } }, to === undefined ? {} : { startsAt: { $lt: to } }],
  };
}

const sessionKey = z.tuple([instantKeySchema, z.int()]);

export function toCursorFilter(cursor: string | undefined): FilterQuery<Session> {
  const key = parseCursor(cursor, sessionKey);
  if (key === undefined) return {};
  const [startsAt, id] = key;
  // The leading range is required: without it, a Session before the cursor could match by its ID alone. The range also
  // lets PostgreSQL start the index scan at the cursor.
  return { startsAt: { $gte: startsAt }, $or: [{ startsAt: { $gt: startsAt } }, { id: { $gt: id } }] };
}
