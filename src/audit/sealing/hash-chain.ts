import { hash } from 'node:crypto';
import { formatInstant } from '../../shared/persistence/index.js';

/*
 * How the audit trail hangs together. Each entry has a hash of all that it says; a block lists entries with their
 * hashes, and has a hash of that list and of the block before it. So a change, a gap and a swap all show.
 */

/** The chain of what belongs to no Clinic. */
export const NO_CLINIC_CHAIN = 0;
/** What the first block of a chain has before it. */
export const GENESIS_HASH = '0'.repeat(64);

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
  const who = [actorRole, actorId, actorSubject];
  const what = [access, operation, records, recordCount];
  // Last, and only where there are several: entries that were sealed before they could be counted keep their hash.
  const several = count === 1 ? [] : [count];
  return computeHash([id, clinicId, formatInstant(at), ...who, ...what, requestId, address, outcome, ...several]);
}

/** SHA-256, hexadecimal, of all columns of a block but this one, as a JSON array in this order. */
export function computeBlockHash({ chain, number, previousHash, entryIds, entryHashes, sealedAt }: ChainBlock): string {
  return computeHash([chain, number, previousHash, entryIds, entryHashes, formatInstant(sealedAt)]);
}

function computeHash(values: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(values), 'hex');
}
