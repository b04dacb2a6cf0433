import { hash } from 'node:crypto';
import { formatInstant } from '../../shared/persistence/index.js';

/*
 * Hash chains make changes to the audit trail detectable. A block contains the hashes of its entries and the hash of
 * the previous block, so changing, deleting or reordering an entry changes a hash. Each Clinic has its own chain.
 */

/** The number of the chain for entries that belong to no Clinic. Other chains have the ID of their Clinic. */
export const CHAIN_WITHOUT_CLINIC = 0;
/** The value of `previousHash` in the first block of a chain, which has no previous block. */
export const GENESIS_HASH = '0'.repeat(64);

/** The columns of an entry, all of which are part of its hash. */
export type HashedEntry = {
  id: number;
  clinicId: number | null;
  at: Temporal.Instant;
  actorRole: string;
  actorId: number | null;
  actorSubject: string | null;
  access: string;
  operation: string;
  records: readonly string[];
  recordCount: number;
  requestId: string;
  address: string;
  outcome: string;
  count: number;
};

/** A block in a hash chain, without its own hash. */
type ChainBlock = {
  chain: number;
  number: number;
  previousHash: string;
  entryIds: readonly number[];
  entryHashes: readonly string[];
  sealedAt: Temporal.Instant;
};

/** Computes the hexadecimal SHA-256 hash of a JSON array with all columns of an entry in the order below. */
export function computeEntryHash(entry: HashedEntry): string {
  const { id, clinicId, at, actorRole, actorId, actorSubject, access, operation } = entry;
  const { records, recordCount, requestId, address, outcome, count } = entry;
  const actor = [actorRole, actorId, actorSubject];
  const request = [access, operation, records, recordCount];
  // Includes only counts above 1, so that entries from before the `count` column existed keep their hash.
  const repetitions = count === 1 ? [] : [count];
  return computeHash([
    id,
    clinicId,
    formatInstant(at),
    ...actor,
    ...request,
    requestId,
    address,
    outcome,
    ...repetitions,
  ]);
}

/**
 * Computes the hexadecimal SHA-256 hash of a JSON array with all columns of a block except `hash` in the order below.
 */
export function computeBlockHash({ chain, number, previousHash, entryIds, entryHashes, sealedAt }: ChainBlock): string {
  return computeHash([chain, number, previousHash, entryIds, entryHashes, formatInstant(sealedAt)]);
}

function computeHash(values: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(values), 'hex');
}
