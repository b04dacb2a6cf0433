import type { EntityManager } from '@mikro-orm/core';
import { AuditEntry } from '../trail/audit-entry.entity.js';
import { UnsealedAuditEntry } from './audit-seal.entity.js';

/** Maximum number of entries that are found in one transaction. */
const BATCH_SIZE = 1_000;

type UnsealedEntries = {
  /** The entries, in the order of their IDs. */
  entries: AuditEntry[];
  /** The IDs of entries that were deleted, or have another time. */
  missingIds: number[];
  /** The last ID that was examined, or null if no entries remain. */
  nextAfterId: number | null;
};

/**
 * Finds the next entries that are not sealed. It finds them by their keys: a join would be one statement less, but with
 * outdated statistics the planner compares all unsealed entries with all entries.
 */
export async function findUnsealedEntries(em: EntityManager, afterId: number): Promise<UnsealedEntries> {
  const unsealed = await em.find(
    UnsealedAuditEntry,
    { entryId: { $gt: afterId } },
    { orderBy: { entryId: 'asc' }, limit: BATCH_SIZE, disableIdentityMap: true },
  );
  const entries = await findByKeys(em, unsealed);
  const found = new Set(entries.map(({ id }) => id));
  return {
    entries,
    missingIds: unsealed.map(({ entryId }) => entryId).filter((id) => !found.has(id)),
    nextAfterId: unsealed.length < BATCH_SIZE ? null : unsealed.at(-1)!.entryId,
  };
}

async function findByKeys(em: EntityManager, unsealed: readonly UnsealedAuditEntry[]): Promise<AuditEntry[]> {
  const times = unsealed.flatMap(({ at }) => at ?? []).sort((one, other) => Temporal.Instant.compare(one, other));
  if (times.length === 0) return [];
  // The entry times limit the query to the partitions that contain these entries.
  const at = { $gte: times[0]!, $lte: times.at(-1)! };
  const ids = unsealed.map(({ entryId }) => entryId);
  const entries = await em.find(AuditEntry, { id: { $in: ids }, at }, { orderBy: { id: 'asc' } });
  // An entry with another time was changed, or was added with the ID of another one, so it is not sealed.
  const timeById = new Map(unsealed.map((entry) => [entry.entryId, entry.at]));
  return entries.filter((entry) => timeById.get(entry.id)?.equals(entry.at) ?? true);
}
