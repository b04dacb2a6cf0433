import { z } from 'zod';
import {
  countQuery,
  instantQuery,
  idListQuery,
  enumListQuery,
  uuidListQuery,
  pageQuery,
  sortQuery,
  syncQuery,
} from '../../../shared/validation/index.js';
import { staffIncludeQuery } from '../../include/include-names.js';
import { SESSION_STATUSES } from '../../domain/session-status.js';

/* Query parameters of the Session list. */

const SESSION_SORTS = ['startsAt', 'updatedAt'] as const;
export type SessionSort = (typeof SESSION_SORTS)[number];

export const sessionQuery = pageQuery.extend({
  seriesId: uuidListQuery('Only the Sessions of these series.'),
  from: instantQuery('Only those whose time (start, due time, or time of the request) is this instant or later.'),
  to: instantQuery('Only those whose time is before this instant.'),
  clientId: idListQuery('Only those of these Clients.'),
  caregiverId: idListQuery('Only those of these Care Providers.'),
  designPlanId: idListQuery('Only those of these Design Plans.'),
  status: enumListQuery(SESSION_STATUSES, 'Only Sessions in these states.'),
  sort: sortQuery(SESSION_SORTS, 'By start, or by the last change of the Session or its homework.'),
  count: countQuery,
  ...syncQuery,
  include: staffIncludeQuery,
});
export type SessionQuery = z.output<typeof sessionQuery>;
