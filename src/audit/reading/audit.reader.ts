import { EntityManager, type FilterQuery } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { Directory } from '../../directory/index.js';
import { CallerConcurrency } from '../../limits/index.js';
import type { AdminPrincipal, ClinicPrincipal } from '../../shared/access/index.js';
import { ConflictError } from '../../shared/errors/index.js';
import { toNdjson } from '../../shared/http/index.js';
import {
  createStreamingTransactionRunner,
  UNTRACKED,
  formatInstant,
  type RunInTransaction,
} from '../../shared/persistence/index.js';
import { parseCursor, toCursor, cursorInstantSchema, toPage, type Page } from '../../shared/validation/index.js';
import { AuditEntry } from '../trail/audit-entry.entity.js';
import { decryptCallers } from '../trail/caller-encryption.js';
import {
  buildAfterKeyFilter,
  buildEntryFilter,
  buildFromKeyFilter,
  buildUpToKeyFilter,
  type AuditEntrySortKey,
} from './audit-filter.js';
import {
  MAX_EXPORT_LINES,
  toAuditEntryModel,
  type AuditExportQuery,
  type AuditEntryModel,
  type AuditQuery,
} from './audit-entry.dto.js';

type Auditor = ClinicPrincipal | AdminPrincipal;
type EntryFilter = FilterQuery<AuditEntry>;

/** The lines of an export as a stream, and the cursor for the next export; null if there are no more entries. */
type AuditExport = { lines: Readable; nextCursor: string | null };

/** Number of entries that an export reads in one transaction. They take up at most about 2 MB. */
const AUDIT_EXPORT_PAGE_SIZE = 100;

const entryKey = z.tuple([cursorInstantSchema, z.int()]);

/** Reads the audit trail. A Clinic reads its own entries; an administrator reads the entries without a Clinic. */
@Injectable()
export class AuditReader {
  constructor(
    private readonly em: EntityManager,
    private readonly directory: Directory,
    private readonly concurrency: CallerConcurrency,
  ) {}

  /** Returns a page of entries, newest first. */
  list(caller: Auditor, { limit, ...query }: AuditQuery): Promise<Page<AuditEntryModel>> {
    return this.em.transactional(async (em) => {
      const where = await this.buildCondition(caller, query, 'desc');
      const orderBy = { at: 'desc', id: 'desc' } as const;
      const entries = await em.find(AuditEntry, where, { orderBy, limit: limit + 1, ...UNTRACKED });
      const readable = await decryptCallers(em, entries);
      return toPage(readable, limit, ({ at, id }) => [formatInstant(at), id], toAuditEntryModel);
    });
  }

  /**
   * Exports entries oldest first, so that a later export can continue where this one ends. The end of the export is
   * determined in the transaction of the request. The lines are read afterwards, each page in a short transaction, so a
   * slow reader does not occupy a database connection.
   */
  export(caller: Auditor, query: AuditExportQuery): Promise<AuditExport> {
    const runPage = createStreamingTransactionRunner(this.em, caller);
    const run: RunInTransaction = (work) => this.concurrency.run(caller, () => runPage(work));
    return this.em.transactional(async (em) => {
      const where = await this.buildCondition(caller, query, 'asc');
      const [last, next] = await findEnd(em, where);
      const lines = last === undefined ? [] : readPages(run, { $and: [where, buildUpToKeyFilter(toEntryKey(last))] });
      return {
        lines: Readable.from(lines, { objectMode: false }),
        nextCursor: next === undefined ? null : toCursor([formatInstant(last!.at), last!.id]),
      };
    });
  }

  /** Builds the condition for the caller's entries that match the query and follow its cursor. */
  private async buildCondition(caller: Auditor, query: AuditExportQuery, order: 'asc' | 'desc'): Promise<EntryFilter> {
    const clinicId = caller.role === 'CLINIC' ? (await this.directory.requireClinic(caller)).id : null;
    const after = parseCursor(query.cursor, entryKey);
    return { $and: [{ clinicId }, buildEntryFilter(query), buildAfterKeyFilter(after, order)] };
  }
}

/**
 * Reads the lines of an export, each page in a separate transaction. A page after the first one begins with the last entry
 * of the previous page: if retention has removed it meanwhile, entries after it may be missing as well.
 *
 * @throws ConflictError if that entry is missing. The response then ends without its last chunk
 */
async function* readPages(run: RunInTransaction, where: EntryFilter): AsyncGenerator<string> {
  for (let last: AuditEntrySortKey | undefined; ;) {
    const condition = { $and: [where, last === undefined ? {} : buildFromKeyFilter(last)] };
    const limit = AUDIT_EXPORT_PAGE_SIZE + (last === undefined ? 0 : 1);
    const options = { orderBy: { at: 'asc', id: 'asc' }, limit, ...UNTRACKED } as const;
    const entries = await run(async (em) => decryptCallers(em, await em.find(AuditEntry, condition, options)));
    if (last !== undefined && entries.shift()?.id !== last[1])
      throw new ConflictError('Entries were removed during the export. Repeat it.');
    if (entries.length > 0) yield toNdjson(entries.map(toAuditEntryModel));
    if (entries.length < AUDIT_EXPORT_PAGE_SIZE) return;
    last = toEntryKey(entries.at(-1)!);
  }
}

type EndOfExport = Pick<AuditEntry, 'at' | 'id'>;

/** Finds the last entry of an export and the entry after it, if any. Returns an empty list if no entry matches. */
async function findEnd(em: EntityManager, where: EntryFilter): Promise<EndOfExport[]> {
  const options = { fields: ['at', 'id'], ...UNTRACKED } as const;
  const fullExport = { ...options, orderBy: { at: 'asc', id: 'asc' }, offset: MAX_EXPORT_LINES - 1, limit: 2 } as const;
  const end = await em.find(AuditEntry, where, fullExport);
  if (end.length > 0) return end;
  return em.find(AuditEntry, where, { ...options, orderBy: { at: 'desc', id: 'desc' }, limit: 1 });
}

function toEntryKey({ at, id }: EndOfExport): AuditEntrySortKey {
  return [at, id];
}
