import { z } from 'zod';
import { scheduleConflictSchema, type ScheduleConflict } from '../../directory/index.js';
import { ConflictError } from '../../shared/errors/index.js';

/** The maximum number of conflicts in one response. */
export const MAX_LISTED_CONFLICTS = 1_000;

/** Conflicts are counted up to this number, because Sessions at one time have as many as the square of their number. */
export const MAX_COUNTED_CONFLICTS = 100_000;

export const conflictCountSchema = z.int().meta({
  description: `Number of conflicts, up to ${MAX_COUNTED_CONFLICTS}; \`conflicts\` lists the first ${MAX_LISTED_CONFLICTS} by their start.`,
  example: 1,
});

/** The first conflicts, at most `MAX_LISTED_CONFLICTS`, and the number of conflicts, up to `MAX_COUNTED_CONFLICTS`. */
export type ConflictList = { conflicts: ScheduleConflict[]; conflictCount: number };

/** The extension members (RFC 9457) in the problem of a `ScheduleConflictError`. */
export const conflictExtensions = {
  conflicts: z
    .array(scheduleConflictSchema)
    .optional()
    .meta({ description: 'On 409 of `conflicts=reject`: the conflicts of the whole series.' }),
  conflictCount: conflictCountSchema.optional(),
};

/** 409: Sessions overlap, and the request has `conflicts=reject`. The problem lists the conflicts. */
export class ScheduleConflictError extends ConflictError {
  override readonly code = 'schedule-conflict';
  constructor(override readonly clientData: ConflictList) {
    super(`${clientData.conflictCount} overlap(s) with Sessions that exist: nothing was changed.`);
  }
}
