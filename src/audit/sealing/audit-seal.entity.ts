import { defineEntity, p, PrimaryKeyProp } from '@mikro-orm/core';
import { columns } from '../../shared/persistence/index.js';
import { GENESIS_HASH, computeBlockHash, computeEntryHash, type HashedEntry } from './hash-chain.js';

const AuditSealSchema = defineEntity({
  name: 'AuditSeal',
  tableName: 'audit_seal',
  properties: {
    /** The Clinic; 0 for what belongs to none. */
    chain: p.bigint('number').primary(),
    /** From 1, without a gap. */
    number: p.integer().primary(),
    previousHash: p.text(),
    entryIds: p.array((id) => Number(id)).columnType('bigint[]'),
    entryHashes: p.array(),
    sealedAt: columns.instant(),
    hash: p.text(),
  },
});

/** A block of the chain of a Clinic: entries that cannot change any more without showing. */
export class AuditSeal extends AuditSealSchema.class {
  declare [PrimaryKeyProp]: ['chain', 'number'];

  /** @param head the last block of the chain so far; null for the first one */
  constructor(chain: number, head: AuditSeal | null, entries: readonly HashedEntry[], now: Temporal.Instant) {
    super();
    this.chain = chain;
    this.number = (head?.number ?? 0) + 1;
    this.previousHash = head?.hash ?? GENESIS_HASH;
    this.entryIds = entries.map(({ id }) => id);
    this.entryHashes = entries.map(computeEntryHash);
    this.sealedAt = now;
    this.hash = computeBlockHash(this);
  }
}

AuditSealSchema.setClass(AuditSeal);

const AuditUnsealedSchema = defineEntity({
  name: 'AuditUnsealed',
  tableName: 'audit_unsealed',
  properties: { entryId: p.bigint('number').primary() },
});

/** An entry that waits for its seal: the database notes it with the entry. */
export class AuditUnsealed extends AuditUnsealedSchema.class {}

AuditUnsealedSchema.setClass(AuditUnsealed);
