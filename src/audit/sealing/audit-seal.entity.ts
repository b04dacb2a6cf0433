import { defineEntity, p, PrimaryKeyProp } from '@mikro-orm/core';
import { columnTypes } from '../../shared/persistence/index.js';
import { GENESIS_HASH, computeBlockHash, computeEntryHash, type HashedEntry } from './hash-chain.js';

const AuditSealSchema = defineEntity({
  name: 'AuditSeal',
  tableName: 'audit_seal',
  properties: {
    /** The Clinic ID, or 0 for entries without a Clinic. */
    chain: p.bigint('number').primary(),
    /** Position in the chain, starting at 1 without gaps. */
    number: p.integer().primary(),
    previousHash: p.text(),
    entryIds: p.array((id) => Number(id)).columnType('bigint[]'),
    entryHashes: p.array(),
    sealedAt: columnTypes.instant(),
    hash: p.text(),
    /**
     * The earliest and the latest time of the entries, set by a trigger. `lastAt` is never before the `lastAt` of the
     * previous block.
     */
    firstAt: columnTypes.instant().nullable(),
    lastAt: columnTypes.instant().nullable(),
  },
});

/** The number and hash of the last block of a chain, to which the next block refers. */
export type PreviousBlock = Pick<InstanceType<typeof AuditSealSchema.class>, 'number' | 'hash'>;

/** A block in a hash chain. It seals its entries: any later change to them can be detected. */
export class AuditSeal extends AuditSealSchema.class {
  declare [PrimaryKeyProp]: ['chain', 'number'];

  /** @param previous the last block of the chain; null if the chain is empty */
  constructor(chain: number, previous: PreviousBlock | null, entries: readonly HashedEntry[], now: Temporal.Instant) {
    super();
    this.chain = chain;
    this.number = (previous?.number ?? 0) + 1;
    this.previousHash = previous?.hash ?? GENESIS_HASH;
    this.entryIds = entries.map(({ id }) => id);
    this.entryHashes = entries.map(computeEntryHash);
    this.sealedAt = now;
    this.hash = computeBlockHash(this);
  }
}

AuditSealSchema.setClass(AuditSeal);

const UnsealedAuditEntrySchema = defineEntity({
  name: 'UnsealedAuditEntry',
  tableName: 'audit_unsealed',
  properties: {
    entryId: p.bigint('number').primary(),
    /** The time of the entry, which is part of its key. Null if the entry was deleted before this column existed. */
    at: columnTypes.instant().nullable(),
  },
});

/** Marks an entry that has not yet been sealed. A trigger inserts the row together with the entry. */
export class UnsealedAuditEntry extends UnsealedAuditEntrySchema.class {}

UnsealedAuditEntrySchema.setClass(UnsealedAuditEntry);
