import { z } from 'zod';
import { booleanQuery } from '../../../shared/validation/index.js';

/* Query parameters shared by all operations that change Sessions. */

/** The query parameter `conflicts` of every operation that schedules Sessions. */
export const conflictHandlingQuery = z.object({
  conflicts: z
    .enum(['report', 'reject'], { error: 'must be report or reject' })
    .default('report')
    .meta({
      description:
        'What happens with overlaps with other Sessions of the Care Provider or the Client. `report`: a response with ' +
        'Sessions lists them. `reject`: 409 with all of them, also for concurrent requests.',
      example: 'report',
    }),
});
export type ConflictHandlingQuery = z.output<typeof conflictHandlingQuery>;

const dryRunQuery = z.object({
  dryRun: booleanQuery
    .prefault('false')
    .meta({ description: 'true: returns the result without changing anything.', example: 'false' }),
});

/** Query parameters of every operation that changes a series. */
export const changeQuery = conflictHandlingQuery.extend(dryRunQuery.shape);
export type ChangeQuery = z.output<typeof changeQuery>;
