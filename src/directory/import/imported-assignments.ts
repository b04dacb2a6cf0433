import { LockMode } from '@mikro-orm/core';
import type { Violation } from '../../shared/errors/index.js';
import { type TenantEntityManager } from '../../shared/persistence/index.js';
import { ClientAssignment } from '../domain/client-assignment.entity.js';
import type { ImportClient } from '../dto/import-model.js';
import { CareProvider, type Client } from '../domain/person.entity.js';
import type { ImportEntry } from './import-records.js';

/** The Care Providers whom the lines of one chunk of Clients name, and who is assigned to them by it. */
export class ImportedAssignments {
  private careProviderIds = new Map<string, number>();

  constructor(
    private readonly em: TenantEntityManager,
    private readonly clinicId: number,
    private readonly now: Temporal.Instant,
  ) {}

  /** Looks up who is named, and refuses the lines that name somebody who is not an active Care Provider of the Clinic. */
  async findViolations(records: readonly ImportClient[]): Promise<Map<string, Violation[]>> {
    await this.loadCareProviders([...new Set(records.flatMap(listCareProviderExternalIds))]);
    const unknown = records.map((record) => [record.externalId, this.findUnknownCareProviders(record)] as const);
    return new Map(unknown.filter(([, violations]) => violations.length > 0));
  }

  /** Makes the assignments of each Client who has a list those of the list, in as few statements as there are kinds. */
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
    const wanted = new Set(
      listCareProviderExternalIds(entry.data).map((externalId) => this.careProviderIds.get(externalId)!),
    );
    const surplus = stored.filter(({ careProviderId }) => !wanted.has(careProviderId));
    const already = new Set(stored.map(({ careProviderId }) => careProviderId));
    const missing = [...wanted].filter((id) => !already.has(id));
    for (const assignment of surplus) this.em.remove(assignment);
    for (const id of missing) this.em.persist(new ClientAssignment(this.clinicId, entry.row.id, id, this.now));
    if (surplus.length + missing.length > 0 && entry.status === 'unchanged') entry.status = 'replaced';
  }

  /** Locked against leaving until the import is stored. */
  private async loadCareProviders(externalIds: string[]): Promise<void> {
    if (externalIds.length === 0) return;
    const careProviders = await this.em.find(
      CareProvider,
      { clinicId: this.clinicId, externalId: { $in: externalIds }, active: true },
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
