import type { FilterQuery } from '@mikro-orm/core';
import { toAfterKeyFilter } from '../../shared/persistence/index.js';
import type { AuditEntry } from '../trail/audit-entry.entity.js';
import type { AuditExportQuery } from './audit-entry.dto.js';

/* Converts query parameters into conditions for `EntityManager.find`. */

/** The sort key of an audit entry. */
export type AuditEntrySortKey = readonly [at: Temporal.Instant, id: number];

/** Builds the condition for a query's filters. */
export function buildEntryFilter({
  from,
  to,
  actor,
  record,
  outcome,
  ...equalFilters
}: AuditExportQuery): FilterQuery<AuditEntry> {
  const { actorRole, operation, access } = equalFilters;
  const present = Object.entries({ actorRole, operation, access }).filter(([, value]) => value !== undefined);
  return {
    ...Object.fromEntries(present),
    $and: [
      from === undefined ? {} : { at: { $gte: from } },
      to === undefined ? {} : { at: { $lt: to } },
      actor === undefined ? {} : buildActorFilter(actor),
      record === undefined ? {} : { records: { $contains: [record] } },
      outcome === undefined ? {} : { outcome: outcome === 'DENIED' ? { $ne: 'OK' } : outcome },
    ],
  };
}

/** @param actor kind and ID, for example `care-provider/1` */
function buildActorFilter(actor: string): FilterQuery<AuditEntry> {
  const [kind, id] = actor.split('/') as [string, string];
  return { actorRole: kind.toUpperCase().replace('-', '_') as AuditEntry['actorRole'], actorId: Number(id) };
}

/** Builds the keyset condition for the entries after a key: later entries for `asc`, earlier entries for `desc`. */
export function buildAfterKeyFilter(
  key: AuditEntrySortKey | undefined,
  order: 'asc' | 'desc',
): FilterQuery<AuditEntry> {
  return key === undefined ? {} : toAfterKeyFilter('at', order, ...key);
}

/** Builds the condition for the entry with this key and all earlier entries. */
export function buildUpToKeyFilter([at, id]: AuditEntrySortKey): FilterQuery<AuditEntry> {
  return { at: { $lte: at }, $or: [{ at: { $lt: at } }, { id: { $lte: id } }] };
}

/** Builds the condition for the entry with this key and all later entries. */
export function buildFromKeyFilter([at, id]: AuditEntrySortKey): FilterQuery<AuditEntry> {
  return { at: { $gte: at }, $or: [{ at: { $gt: at } }, { id: { $gte: id } }] };
}
