import { z } from 'zod';
import { includedCareProviderSchema } from './included.js';

/* Schemas of the directory's part of the export of a Client. */

export const exportedAssignmentSchema = z
  .object({
    careProvider: includedCareProviderSchema,
    assignedAt: z.string().meta({ description: 'Time of the assignment.', example: '2026-11-21T09:00:00.000Z' }),
  })
  .meta({ id: 'ExportedAssignment', description: 'A Care Provider of the Client.' });
export type ExportedAssignment = z.output<typeof exportedAssignmentSchema>;
