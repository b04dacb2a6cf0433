import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { EXPORT_PAGE_SIZE, type ExportedClient, type ExportPage } from '../../shared/client-export/index.js';
import { formatInstant, TenantEntityManager, UNTRACKED } from '../../shared/persistence/index.js';
import { AuditEntry } from '../trail/audit-entry.entity.js';
import { decryptCallers } from '../trail/caller-encryption.js';
import { toClientAuditEntry, type ClientAuditEntry } from './client-audit.dto.js';

/** The sort key of an audit entry. The time is in ISO 8601 format. */
export type ExportedAuditEntrySortKey = { at: string; id: number };

const BEGINNING: ExportedAuditEntrySortKey = { at: '0001-01-01T00:00:00Z', id: 0 };

/**
 * Reads the audit entries that concern a Client: requests that read or changed their records, and their own requests.
 */
@Injectable()
export class ClientAuditSource {
  constructor(private readonly em: TenantEntityManager) {}

  /**
   * Returns the sort key of the Clinic's newest entry. An export ends with this entry, even if others are added while
   * it is read. Returns undefined if the Clinic has no entries.
   */
  async findNewestKey(clinicId: number): Promise<ExportedAuditEntrySortKey | undefined> {
    const options = { orderBy: { at: 'desc', id: 'desc' }, ...UNTRACKED } as const;
    const last = await this.em.findOne(AuditEntry, { clinicId }, options);
    return last === null ? undefined : { at: formatInstant(last.at), id: last.id };
  }

  /** Reads a page of entries, oldest first. */
  async readEntries(
    { clinicId, clientId }: ExportedClient,
    end: ExportedAuditEntrySortKey | undefined,
    after: ExportedAuditEntrySortKey = BEGINNING,
  ): Promise<ExportPage<ClientAuditEntry, ExportedAuditEntrySortKey>> {
    if (end === undefined) return { items: [] };
    const own = await this.findOwn(clientId, after, end);
    const order = { orderBy: { at: 'asc', id: 'asc' } } as const;
    const entries = await this.em.find(
      AuditEntry,
      { clinicId, id: { $in: [...own.keys()] } },
      { ...UNTRACKED, ...order },
    );
    const readable = await decryptCallers(this.em, entries);
    const items = readable.map((entry) => toClientAuditEntry(entry, clientId, own.get(entry.id)!));
    const last = entries.at(-1);
    const isComplete = own.size < EXPORT_PAGE_SIZE || last === undefined;
    return { items, next: isComplete ? undefined : { at: formatInstant(last.at), id: last.id } };
  }

  /**
   * Finds the entries that concern the Client. Returns the names of the Client's own records in each entry, keyed by
   * the ID of the entry.
   */
  private async findOwn(
    clientId: number,
    after: ExportedAuditEntrySortKey,
    end: ExportedAuditEntrySortKey,
  ): Promise<Map<number, readonly string[]>> {
    const { rows } = await sql<{ id: string; own: string }>`
      select id, to_json(own)::text as own from client_audit_entries(${clientId}::bigint, ${after.at}::timestamptz,
        ${after.id}::bigint, ${end.at}::timestamptz, ${end.id}::bigint, ${EXPORT_PAGE_SIZE}::int)`.execute(
      this.em.getKysely(),
    );
    return new Map(rows.map(({ id, own }) => [Number(id), JSON.parse(own) as string[]]));
  }
}
