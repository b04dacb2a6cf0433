import { defineEntity, p } from '@mikro-orm/core';
import { columnTypes } from '../../shared/persistence/index.js';
import type { AuditEntry } from '../trail/audit-entry.entity.js';
import { CHAIN_WITHOUT_CLINIC } from './hash-chain.js';

const AuditRetirementSchema = defineEntity({
  name: 'AuditRetirement',
  tableName: 'audit_retirement',
  properties: {
    /** The Clinic ID, or 0 for entries without a Clinic. */
    chain: p.bigint('number').primary(),
    /** The last retired block. The chain continues with the next one. */
    number: p.integer(),
    hash: p.text(),
    /** Number of entries that have been retired from the chain. */
    entries: p.bigint('number'),
    retiredAt: columnTypes.instant(),
    /** The entry of the chain that records this retirement. */
    entryId: p.bigint('number'),
  },
});

/**
 * Records how far a chain is retired: the entries up to a certain block have been deleted, because their retention has
 * ended.
 */
export class AuditRetirement extends AuditRetirementSchema.class {
  /** Whether the entry records this retirement. Without such an entry, the deletion was not made by the service. */
  isRecordedBy({ clinicId, actorRole, operation, records }: AuditEntry): boolean {
    const expected = [`audit-seal/${this.number}`, `audit-hash/${this.hash}`];
    const isOfService = actorRole === 'SYSTEM' && operation === 'system retire audit';
    return isOfService && (clinicId ?? CHAIN_WITHOUT_CLINIC) === this.chain && records.join() === expected.join();
  }
}

AuditRetirementSchema.setClass(AuditRetirement);
