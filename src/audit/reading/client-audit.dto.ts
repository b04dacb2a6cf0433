import { z } from 'zod';
import { formatInstant } from '../../shared/persistence/index.js';
import type { AuditEntry } from '../trail/audit-entry.entity.js';
import { auditEntrySchema } from './audit-entry.dto.js';

/* The audit entry in a Client's export. The Client may read the export, so data about other people is left out. */

export const clientAuditEntrySchema = auditEntrySchema
  .pick({
    ...{ id: true, at: true, actorRole: true, actorId: true, actorSubject: true, access: true, operation: true },
    ...{ outcome: true, count: true },
  })
  .extend({
    records: z.array(z.string()).meta({
      description: 'Kind and id of the records of this Client.',
      example: ['session/12', 'client/1'],
    }),
    address: z.string().nullable().meta({
      description: 'Client address of a request of this Client.',
      example: '203.0.113.7',
    }),
  })
  .meta({ id: 'ClientAuditEntry', description: 'One request that concerns a Client.' });
export type ClientAuditEntry = z.output<typeof clientAuditEntrySchema>;

/**
 * Leaves out data about other people: records that do not belong to the Client, the IDs of other Clients, and the
 * subject and address of every caller except this Client.
 *
 * @param own the names of records that belong to the Client
 */
export function toClientAuditEntry(
  entry: Readonly<AuditEntry>,
  clientId: number,
  own: readonly string[],
): ClientAuditEntry {
  const { id, at, actorRole, actorId, actorSubject, access, operation, address, outcome, count } = entry;
  const isOwn = actorRole === 'CLIENT' && actorId === clientId;
  return {
    ...{ id, at: formatInstant(at), actorRole, actorId: actorRole === 'CLIENT' && !isOwn ? null : actorId },
    actorSubject: isOwn ? actorSubject : null,
    ...{ access, operation, records: [...own], address: isOwn ? address : null, outcome, count },
  };
}
