import { LockMode } from '@mikro-orm/core';
import { sql } from 'kysely';
import type { Violation } from '../../shared/errors/index.js';
import { UNTRACKED, type TenantEntityManager } from '../../shared/persistence/index.js';
import { ClientAssignment } from '../domain/client-assignment.entity.js';
import type { ImportClient } from '../dto/import-model.js';
import { CareProvider, Client } from '../domain/person.entity.js';
import { findPeople, indexByExternalId } from '../lookup/external-ids.js';
import { findInChunks, type ImportEntry } from './import-records.js';

/** Replaces the assignments of imported Clients, one chunk of the import at a time. */
export class ImportedAssignments {
  /** IDs of the active Care Providers in the lines, keyed by external ID. */
  private careProviderIds = new Map<string, number>();

  constructor(
    private readonly em: TenantEntityManager,
    private readonly clinicId: number,
    private readonly now: Temporal.Instant,
  ) {}

  /**
   * Loads the Care Providers in the lines with a shared lock, so that they stay active until the import is committed.
   * Must be called for all lines before a Client is locked, because all transactions lock Care Providers first. Therefore
   * it also locks those whose assignments the lines may end: the trigger on assignments refers to them.
   */
  async lockCareProviders(lines: readonly ImportClient[], clientIds: readonly number[]): Promise<void> {
    if (lines.every(({ careProviderExternalIds }) => careProviderExternalIds == null)) return;
    const named = [...new Set(lines.flatMap(listCareProviderExternalIds))];
    const found = await findInChunks(named, (chunk) => findPeople(this.em, CareProvider, this.clinicId, chunk));
    const assignedIds = await findInChunks(clientIds, (chunk) => this.findAssigned(chunk));
    const ids = new Set([...found.map(({ id }) => id), ...assignedIds]);
    if (ids.size === 0) return;
    const careProviders = await this.em.find(
      CareProvider,
      { clinicId: this.clinicId, id: { $in: [...ids] } },
      { ...UNTRACKED, lockMode: LockMode.PESSIMISTIC_READ, orderBy: { id: 'asc' } },
    );
    for (const [externalId, { active, id }] of indexByExternalId(careProviders, found))
      if (active) this.careProviderIds.set(externalId, id);
  }

  /**
   * Returns violations, keyed by the Client's external ID, for lines that name a Care Provider who is unknown or not
   * active in the Clinic.
   */
  findViolations(records: readonly ImportClient[]): Map<string, Violation[]> {
    const unknown = records.map((record) => [record.externalId, this.findUnknownCareProviders(record)] as const);
    return new Map(unknown.filter(([, violations]) => violations.length > 0));
  }

  /** Replaces the assignments of those Clients whose line contains a list of Care Providers. */
  async replace(entries: readonly ImportEntry<ImportClient, Client>[]): Promise<void> {
    const withList = entries.filter(({ data }) => data.careProviderExternalIds != null);
    if (withList.length === 0) return;
    const clientId = { $in: withList.map(({ row }) => row.id) };
    const stored = await this.em.find(ClientAssignment, { clinicId: this.clinicId, clientId });
    const byClient = Map.groupBy(stored, (assignment) => assignment.clientId);
    for (const entry of withList) this.replaceAssignments(entry, byClient.get(entry.row.id) ?? []);
    await this.em.flush();
  }

  private replaceAssignments(entry: ImportEntry<ImportClient, Client>, stored: readonly ClientAssignment[]): void {
    const requestedIds = new Set(
      listCareProviderExternalIds(entry.data).map((externalId) => this.careProviderIds.get(externalId)!),
    );
    const surplus = stored.filter(({ careProviderId }) => !requestedIds.has(careProviderId));
    const storedIds = new Set(stored.map(({ careProviderId }) => careProviderId));
    const missing = [...requestedIds].filter((id) => !storedIds.has(id));
    for (const assignment of surplus) this.em.remove(assignment);
    for (const id of missing) this.em.persist(new ClientAssignment(this.clinicId, entry.row.id, id, this.now));
    if (surplus.length + missing.length > 0 && entry.status === 'unchanged') entry.status = 'replaced';
  }

  /** Finds the Care Providers of the assignments of these Clients. */
  private async findAssigned(clientIds: readonly number[]): Promise<number[]> {
    const { rows } = await sql<{ id: string }>`
      select distinct care_provider_id as id from client_assignment
      where clinic_id = ${this.clinicId} and client_id = any(${[...clientIds]}::bigint[])`.execute(this.em.getKysely());
    return rows.map(({ id }) => Number(id));
  }

  private findUnknownCareProviders(record: ImportClient): Violation[] {
    return listCareProviderExternalIds(record).flatMap((externalId, index) => {
      if (this.careProviderIds.has(externalId)) return [];
      const detail = 'must be the external id of an active Care Provider of the Clinic';
      return [{ pointer: `/careProviderExternalIds/${index}`, detail }];
    });
  }
}

function listCareProviderExternalIds({ careProviderExternalIds }: ImportClient): string[] {
  return careProviderExternalIds ?? [];
}
