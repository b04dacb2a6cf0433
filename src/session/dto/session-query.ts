import { z } from 'zod';
import { isStorable } from '../../shared/persistence/index.js';
import { pageQuery } from '../../shared/validation/index.js';
import { SESSION_STATUSES } from '../session-states.js';

/* What Sessions are listed by. Query text, so ids arrive as strings. */

export const idQuery = (description: string) =>
  z
    .string()
    .regex(/^[1-9]\d{0,14}$/, 'must be a positive integer')
    .transform(Number)
    .optional()
    .meta({ description, type: 'integer', format: 'int64', pattern: undefined, minimum: 1, example: 1 });

const instantQuery = (description: string) =>
  z.iso
    .datetime({ offset: true, error: 'must be an ISO 8601 date-time with Z or an offset' })
    .transform((value) => Temporal.Instant.from(value))
    .refine(isStorable, 'must be in the years 1 to 9999')
    .optional()
    .meta({ description, example: '2027-03-01T00:00:00Z' });

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
