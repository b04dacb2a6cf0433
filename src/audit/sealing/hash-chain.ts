import { hash } from 'node:crypto';
import { formatInstant } from '../../shared/persistence/index.js';

/*
 * Hash chains make changes of the audit trail detectable. A block contains the hashes of its entries and the hash of the
 * previous block, so that a changed, deleted or reordered entry changes a hash. Each Clinic has its own chain.
 */

/** The chain for entries without a Clinic. */
export const NO_CLINIC_CHAIN = 0;
/** `previousHash` of the first block of a chain. */
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

/** A block of a hash chain without its own hash. */
export type ChainBlock = {
  chain: number;
  number: number;
  previousHash: string;
  entryIds: readonly number[];
  entryHashes: readonly string[];
  sealedAt: Temporal.Instant;
};

/** SHA-256, hexadecimal, of all columns of an entry, as a JSON array in this order. */
export function computeEntryHash(entry: HashedEntry): string {
  const { id, clinicId, at, actorRole, actorId, actorSubject, access, operation } = entry;
  const { records, recordCount, requestId, address, outcome, count } = entry;
  const actor = [actorRole, actorId, actorSubject];
  const request = [access, operation, records, recordCount];
  // Only a count above 1, so that entries from before the column `count` keep their hash.
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

/** SHA-256, hexadecimal, of all columns of a block except `hash`, as a JSON array in this order. */
export function computeBlockHash({ chain, number, previousHash, entryIds, entryHashes, sealedAt }: ChainBlock): string {
  return computeHash([chain, number, previousHash, entryIds, entryHashes, formatInstant(sealedAt)]);
}

function computeHash(values: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(values), 'hex');
}
