import { EntityManager, type FilterQuery } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Directory } from '../directory/index.js';
import type { AdminPrincipal, ClinicPrincipal } from '../shared/access/index.js';
import { AS_IT_IS, formatInstant } from '../shared/persistence/index.js';
import { afterCursor, instantKey, pageOf, type Page } from '../shared/validation/index.js';
import { AuditEntry } from './audit-entry.entity.js';
import { EXPORT_LINES, viewEntry, type AuditExportQuery, type AuditModel, type AuditQuery } from './dto/audit-model.js';

type Auditor = ClinicPrincipal | AdminPrincipal;

/** Reads the audit trail: a Clinic its own, an administrator that of no Clinic. */
@Injectable()
export class AuditReader {
  constructor(
    private readonly em: EntityManager,
    private readonly directory: Directory,
  ) {}

  /** The newest first. */
  list(caller: Auditor, { limit, ...query }: AuditQuery): Promise<Page<AuditModel>> {
    return this.page(caller, query, { limit, order: 'desc' });
  }

  /** The oldest first, so that an export can be gone on with. */
  export(caller: Auditor, query: AuditExportQuery): Promise<Page<AuditModel>> {
    return this.page(caller, query, { limit: EXPORT_LINES, order: 'asc' });
  }

  private page(
    caller: Auditor,
    query: AuditExportQuery,
    { limit, order }: { limit: number; order: 'asc' | 'desc' },
  ): Promise<Page<AuditModel>> {
    return this.em.transactional(async (em) => {
      const clinicId = caller.role === 'CLINIC' ? (await this.directory.requireClinic(caller)).id : null;
      const where = { $and: [{ clinicId }, matching(query), entriesAfter(query.cursor, order)] };
      const orderBy = { at: order, id: order };
      const entries = await em.find(AuditEntry, where, { orderBy, limit: limit + 1, ...AS_IT_IS });
      return pageOf(entries, limit, ({ at, id }) => [formatInstant(at), id], viewEntry);
    });
  }
}

function matching({ from, to, actor, record, outcome, ...equal }: AuditExportQuery): FilterQuery<AuditEntry> {
  const { actorRole, operation, access } = equal;
  const wanted = Object.entries({ actorRole, operation, access }).filter(([, value]) => value !== undefined);
  return {
    ...Object.fromEntries(wanted),
    $and: [
      from === undefined ? {} : { at: { $gte: from } },
      to === undefined ? {} : { at: { $lt: to } },
      actor === undefined ? {} : actorIn(actor),
      record === undefined ? {} : { records: { $contains: [record] } },
      outcome === undefined ? {} : { outcome: outcome === 'DENIED' ? { $ne: 'OK' } : outcome },
    ],
  };
}

/** `care-provider/1`, as records are written. */
function actorIn(actor: string): FilterQuery<AuditEntry> {
  const [kind, id] = actor.split('/') as [string, string];
  return { actorRole: kind.toUpperCase().replace('-', '_') as AuditEntry['actorRole'], actorId: Number(id) };
}

const entryKey = z.tuple([instantKey, z.int()]);

function entriesAfter(cursor: string | undefined, order: 'asc' | 'desc'): FilterQuery<AuditEntry> {
  const key = afterCursor(cursor, entryKey);
  if (key === undefined) return {};
  const [at, id] = key;
  // The first condition alone says nothing new, but the index can begin there.
  if (order === 'asc') return { at: { $gte: at }, $or: [{ at: { $gt: at } }, { id: { $gt: id } }] };
  return { at: { $lte: at }, $or: [{ at: { $lt: at } }, { id: { $lt: id } }] };
}
