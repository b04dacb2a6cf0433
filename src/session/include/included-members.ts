import { z } from 'zod';
import {
  scheduleConflictSchema,
  includedBookSchema,
  optionalCareProviderSchema,
  optionalClientSchema,
} from '../../directory/index.js';
import { upcomingReminderSchema } from '../../reminder/index.js';

/** The optional fields that `include` adds to a Session. */
export const sessionIncludeShape = {
  client: optionalClientSchema('With `include=client`: the Client.'),
  careProvider: optionalCareProviderSchema('With `include=careProvider`: the Care Provider.'),
  books: z
    .array(includedBookSchema)
    .optional()
    .meta({ description: 'With `include=books`: the Books of the homework.' }),
  remindersAhead: z.array(upcomingReminderSchema).optional().meta({
    description:
      'With `include=reminders`: the next 20 unsent reminders, by their due time; for a Care Provider, only of their own Sessions.',
  }),
  conflicts: z.array(scheduleConflictSchema).optional().meta({
    description: 'With `include=conflicts`: overlaps with other Sessions, the first 10 by their start.',
  }),
};

export type IncludedMembers = z.output<z.ZodObject<typeof sessionIncludeShape>>;
