import { z } from 'zod';
import { instantQuery } from '../../shared/validation/index.js';

export const redriveQuery = z.object({
  status: z.enum(['DEAD', 'SKIPPED'], { error: 'must be DEAD or SKIPPED' }).default('DEAD').meta({
    description: 'DEAD: dead letters. SKIPPED: reminders that were skipped because they were too late.',
    example: 'DEAD',
  }),
  from: instantQuery('Only those whose time (start, due time, or time of the request) is this instant or later.'),
  to: instantQuery('Only those whose time is before this instant.'),
});
export type RedriveQuery = z.output<typeof redriveQuery>;

export const redriveResultSchema = z
  .object({ redriven: z.int().meta({ description: 'Number of reminders that are sent again.', example: 3 }) })
  .meta({ id: 'Redriven', description: 'The result of a redrive.' });
export type RedriveResult = z.output<typeof redriveResultSchema>;
