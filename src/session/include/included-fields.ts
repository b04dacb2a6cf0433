import { z } from 'zod';
import {
  scheduleConflictSchema,
  includedBookSchema,
  createOptionalCareProviderSchema,
  createOptionalClientSchema,
} from '../../directory/index.js';
import { upcomingReminderSchema } from '../../reminder/index.js';

/** The optional fields that `include` adds to a Session. */
export const sessionIncludeShape = {
  client: createOptionalClientSchema('With `include=client`: the Client.'),
  careProvider: createOptionalCareProviderSchema('With `include=careProvider`: the Care Provider.'),
  books: z
    .array(includedBookSchema)
    .optional()
    .meta({ description: 'With `include=books`: the Books of the homework.' }),
  remindersAhead: z.array(upcomingReminderSchema).optional().meta({
    description:
      'With `include=reminders`: the next 20 reminders that will be sent, by their due time; for a Care Provider, only of their own Sessions.',
  }),
  conflicts: z.array(scheduleConflictSchema).optional().meta({
    description: 'With `include=conflicts`: overlaps with other Sessions, the first 10 by their start.',
  }),
};

export type IncludedSessionFields = z.output<z.ZodObject<typeof sessionIncludeShape>>;
