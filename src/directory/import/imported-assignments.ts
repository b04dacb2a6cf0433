import { LockMode } from '@mikro-orm/core';
import type { Violation } from '../../shared/errors/index.js';
import { type TenantEntityManager } from '../../shared/persistence/index.js';
import { ClientAssignment } from '../domain/client-assignment.entity.js';
import type { ImportClient } from '../dto/import-model.js';
import { CareProvider, type Client } from '../domain/person.entity.js';
import { buildExternalIdFilter } from '../lookup/external-ids.js';
import type { ImportEntry } from './import-records.js';

/** Replaces the assignments of imported Clients, one chunk of the import at a time. */
export class ImportedAssignments {
  private careProviderIds = new Map<string, number>();

  constructor(
    private readonly em: TenantEntityManager,
    private readonly clinicId: number,
    private readonly now: Temporal.Instant,
  ) {}

  /**
   * Returns violations, keyed by the Client's external ID, for lines that name a Care Provider who is unknown or not
   * active in the Clinic.
   */
  async findViolations(records: readonly ImportClient[]): Promise<Map<string, Violation[]>> {
    await this.loadCareProviders([...new Set(records.flatMap(listCareProviderExternalIds))]);
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

  /** Loads the active Care Providers with a shared lock so that they stay active until the import is committed. */
  private async loadCareProviders(externalIds: string[]): Promise<void> {
    if (externalIds.length === 0) return;
    const careProviders = await this.em.find(
      CareProvider,
      { ...(await buildExternalIdFilter(this.em, CareProvider, this.clinicId, externalIds)), active: true },
      { lockMode: LockMode.PESSIMISTIC_READ, orderBy: { id: 'asc' } },
    );
    this.careProviderIds = new Map(careProviders.map(({ externalId, id }) => [externalId!, id]));
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
