import { z } from 'zod';
import { idQuery, instantQuery, pageQuery } from '../../../shared/validation/index.js';
import { SESSION_STATUSES } from '../../domain/session-status.js';

/* Query parameters of the Session list. */

export const sessionQuery = pageQuery.extend({
  seriesId: z
    .uuid({ error: 'must be a UUID' })
    .optional()
    .meta({ description: 'Only the Sessions of one series.', example: '019abcde-0000-7000-8000-000000000000' }),
  from: instantQuery('Only Sessions that start at this instant or later.'),
  to: instantQuery('Only Sessions that start before this instant.'),
  clientId: idQuery('Only Sessions of this Client.'),
  caregiverId: idQuery('Only Sessions of this Care Provider.'),
  designPlanId: idQuery('Only Sessions of this Design Plan.'),
  status: z
    .enum(SESSION_STATUSES, { error: `must be one of ${SESSION_STATUSES.join(', ')}` })
    .optional()
    .meta({ description: 'Only Sessions in this state.', example: 'SCHEDULED' }),
});
export type SessionQuery = z.output<typeof sessionQuery>;
