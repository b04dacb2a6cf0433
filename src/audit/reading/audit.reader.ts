import { EntityManager, type FilterQuery } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { Directory } from '../../directory/index.js';
import type { AdminPrincipal, ClinicPrincipal } from '../../shared/access/index.js';
import { toNdjson } from '../../shared/http/index.js';
import { forkForActor, UNTRACKED, formatInstant } from '../../shared/persistence/index.js';
import { parseCursor, toCursor, instantKeySchema, toPage, type Page } from '../../shared/validation/index.js';
import { AuditEntry } from '../trail/audit-entry.entity.js';
import { entriesAfter, entriesUpTo, buildFilter, type EntryKey } from './audit-filter.js';
import {
  EXPORT_LINES,
  toAuditEntryModel,
  type AuditExportQuery,
  type AuditEntryModel,
  type AuditQuery,
} from './audit-entry.dto.js';

type Auditor = ClinicPrincipal | AdminPrincipal;
type EntryFilter = FilterQuery<AuditEntry>;

/** An export: its lines, read from the database as fast as the caller takes them, and where the next one begins. */
export type AuditExport = { lines: Readable; nextCursor: string | null };

/** Entries that one transaction of an export reads: of the longest, about 2 MB. */
const EXPORT_PAGE_SIZE = 100;

const entryKey = z.tuple([instantKeySchema, z.int()]);

/** Reads the audit trail: a Clinic its own, an administrator that of no Clinic. */
@Injectable()
export class AuditReader {
  constructor(
    private readonly em: EntityManager,
    private readonly directory: Directory,
  ) {}

  /** The newest first. */
  list(caller: Auditor, { limit, ...query }: AuditQuery): Promise<Page<AuditEntryModel>> {
    return this.em.transactional(async (em) => {
      const where = await this.buildCondition(caller, query, 'desc');
      const orderBy = { at: 'desc', id: 'desc' } as const;
      const entries = await em.find(AuditEntry, where, { orderBy, limit: limit + 1, ...UNTRACKED });
      return toPage(entries, limit, ({ at, id }) => [formatInstant(at), id], toAuditEntryModel);
    });
  }

  /**
   * The oldest first, so that an export can be gone on with. Where it ends is settled within the transaction of the
   * request; its lines are read afterwards, each page in a short transaction of its own, so that a caller who reads
   * slowly holds no connection to the database.
   */
  export(caller: Auditor, query: AuditExportQuery): Promise<AuditExport> {
    return this.em.transactional(async (em) => {
      const where = await this.buildCondition(caller, query, 'asc');
      const [last, next] = await findEnd(em, where);
      const lines = last === undefined ? [] : this.readPages(caller, { $and: [where, entriesUpTo(toEntryKey(last))] });
      return {
        lines: Readable.from(lines, { objectMode: false }),
        nextCursor: next === undefined ? null : toCursor([formatInstant(last!.at), last!.id]),
      };
    });
  }

  private async *readPages(caller: Auditor, where: EntryFilter): AsyncGenerator<string> {
    const options = { orderBy: { at: 'asc', id: 'asc' }, limit: EXPORT_PAGE_SIZE, ...UNTRACKED } as const;
    for (let after: EntryKey | undefined; ;) {
      const condition = { $and: [where, entriesAfter(after, 'asc')] };
      const entries = await forkForActor(this.em, caller).transactional((em) =>
        em.find(AuditEntry, condition, options),
      );
      if (entries.length > 0) yield toNdjson(entries.map(toAuditEntryModel));
      if (entries.length < EXPORT_PAGE_SIZE) return;
      after = toEntryKey(entries.at(-1)!);
    }
  }

  /** Those of the caller, as they are asked for, after the cursor. */
  private async buildCondition(caller: Auditor, query: AuditExportQuery, order: 'asc' | 'desc'): Promise<EntryFilter> {
    const clinicId = caller.role === 'CLINIC' ? (await this.directory.requireClinic(caller)).id : null;
    const after = parseCursor(query.cursor, entryKey);
    return { $and: [{ clinicId }, buildFilter(query), entriesAfter(after, order)] };
  }
}

type EndOfExport = Pick<AuditEntry, 'at' | 'id'>;

/** The last entry of an export, and the one after it where there is one; none where nothing matches. */
async function findEnd(em: EntityManager, where: EntryFilter): Promise<EndOfExport[]> {
  const options = { fields: ['at', 'id'], ...UNTRACKED } as const;
  const full = { ...options, orderBy: { at: 'asc', id: 'asc' }, offset: EXPORT_LINES - 1, limit: 2 } as const;
  const found = await em.find(AuditEntry, where, full);
  if (found.length > 0) return found;
  return em.find(AuditEntry, where, { ...options, orderBy: { at: 'desc', id: 'desc' }, limit: 1 });
}

function toEntryKey({ at, id }: EndOfExport): EntryKey {
  return [at, id];
}
