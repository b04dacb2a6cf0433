import { z } from 'zod';
import { longId } from '../../shared/validation/index.js';

/** Maximum number of Clients in a request, the same as the maximum number of lines in an import. */
const MAX_CLIENTS = 10_000;

export const reassignClientsSchema = z
  .object({
    toCareProviderId: longId('The active Care Provider who gets the Clients.', 2),
    clientIds: z
      .array(longId('A Client.'), { error: 'must be a list' })
      .max(MAX_CLIENTS, `must have at most ${MAX_CLIENTS} items`)
      .nullish()
      .meta({ description: 'The Clients to reassign. Absent or null for all.', example: [3] }),
  })
  .meta({ id: 'Reassign', description: 'The new Care Provider, and the Clients to reassign.' });

export const reassignClientsResultSchema = z
  .object({
    reassigned: z
      .array(longId('A Client.'))
      .meta({ description: 'The Clients that were reassigned, ordered by id.', example: [3] }),
    sessions: z
      .array(
        z.object({
          id: longId('Id of the record.'),
          version: z.int().meta({ description: 'The version after the change, for `If-Match`.', example: 2 }),
        }),
      )
      .meta({ description: 'The upcoming Sessions that have moved to the new Care Provider: the first 1,000.' }),
    sessionCount: z.int().meta({ description: 'The number of all Sessions that have moved.', example: 1 }),
    conflictCount: z
      .int()
      .meta({ description: 'The number of their overlaps with other Sessions, up to 100000.', example: 0 }),
  })
  .meta({ id: 'Reassigned', description: 'The Clients that were reassigned, and their Sessions.' });

export type ReassignClients = z.output<typeof reassignClientsSchema>;
export type ReassignClientsResult = z.output<typeof reassignClientsResultSchema>;
