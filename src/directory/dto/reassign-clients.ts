import { z } from 'zod';
import { longId } from '../../shared/validation/index.js';

/** Maximum number of Clients in a request, the same as the maximum number of lines in an import. */
const MAX_CLIENTS = 10_000;

export const reassignClientsSchema = z
  .object({
    toCareProviderId: longId('The active Care Provider of the Clinic who takes over.', 2),
    clientIds: z
      .array(longId('A Client.'), { error: 'must be a list' })
      .max(MAX_CLIENTS, `must have at most ${MAX_CLIENTS} items`)
      .nullish()
      .meta({ description: 'The Clients who change. Absent or null: all.', example: [3] }),
  })
  .meta({ id: 'Reassign', description: 'Who takes over, and which Clients.' });

export const reassignClientsResultSchema = z
  .object({
    reassigned: z
      .array(longId('A Client.'))
      .meta({ description: 'The Clients who changed, in the order of their ids.', example: [3] }),
  })
  .meta({ id: 'Reassigned', description: 'Who changed from one Care Provider to the other.' });

export type ReassignClients = z.output<typeof reassignClientsSchema>;
export type ReassignClientsResult = z.output<typeof reassignClientsResultSchema>;
