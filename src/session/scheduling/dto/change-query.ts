import { z } from 'zod';

/* Query parameters that all changes of Sessions share. */

/** `conflicts` of every operation that gives a Session a time. */
export const conflictsQuery = z.object({
  conflicts: z
    .enum(['report', 'reject'], { error: 'must be report or reject' })
    .default('report')
    .meta({
      description:
        'Extension: what to do about overlaps with other Sessions of the Care Provider or the Client. `report` creates and tells; ' +
        '`reject` answers 409 with the overlaps of the whole series, and is safe against others who create at the same time.',
      example: 'report',
    }),
});
export type ConflictsQuery = z.output<typeof conflictsQuery>;

export const dryRunQuery = z.object({
  dryRun: z
    .enum(['true', 'false'], { error: 'must be true or false' })
    .default('false')
    .transform((value) => value === 'true')
    .meta({ description: 'true: answer what would be, and do nothing.', example: 'false' }),
});

/** `conflicts` and `dryRun` of every change of a series. */
export const changeQuery = conflictsQuery.extend(dryRunQuery.shape);
export type ChangeQuery = z.output<typeof changeQuery>;
