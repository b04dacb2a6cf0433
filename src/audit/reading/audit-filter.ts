import type { FilterQuery } from '@mikro-orm/core';
import type { AuditEntry } from '../trail/audit-entry.entity.js';
import type { AuditExportQuery } from './audit-entry.dto.js';

/* What of the audit trail is asked for, as conditions for the database. */

/** The place of an entry in the order of the trail. */
export type EntryKey = readonly [at: Temporal.Instant, id: number];

export function buildFilter({ from, to, actor, record, outcome, ...equal }: AuditExportQuery): FilterQuery<AuditEntry> {
  const { actorRole, operation, access } = equal;
  const wanted = Object.entries({ actorRole, operation, access }).filter(([, value]) => value !== undefined);
  return {
    ...Object.fromEntries(wanted),
    $and: [
      from === undefined ? {} : { at: { $gte: from } },
      to === undefined ? {} : { at: { $lt: to } },
      actor === undefined ? {} : buildActorFilter(actor),
      record === undefined ? {} : { records: { $contains: [record] } },
      outcome === undefined ? {} : { outcome: outcome === 'DENIED' ? { $ne: 'OK' } : outcome },
    ],
  };
}

/** `care-provider/1`, as records are written. */
function buildActorFilter(actor: string): FilterQuery<AuditEntry> {
  const [kind, id] = actor.split('/') as [string, string];
  return { actorRole: kind.toUpperCase().replace('-', '_') as AuditEntry['actorRole'], actorId: Number(id) };
}

/** What comes after an entry, the oldest first or the newest first. */
export function entriesAfter(key: EntryKey | undefined, order: 'asc' | 'desc'): FilterQuery<AuditEntry> {
  if (key === undefined) return {};
  const [at, id] = key;
  // The first condition alone says nothing new, but the index can begin there.
  if (order === 'asc') return { at: { $gte: at }, $or: [{ at: { $gt: at } }, { id: { $gt: id } }] };
  return { at: { $lte: at }, $or: [{ at: { $lt: at } }, { id: { $lt: id } }] };
}

/** The entry itself, and what is older. */
export function entriesUpTo([at, id]: EntryKey): FilterQuery<AuditEntry> {
  return { at: { $lte: at }, $or: [{ at: { $lt: at } }, { id: { $lte: id } }] };
}
