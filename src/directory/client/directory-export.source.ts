import { Injectable } from '@nestjs/common';
import type { ClientPrincipal, ClinicPrincipal } from '../../shared/access/index.js';
import { EXPORT_PAGE_SIZE, type ExportedClient, type ExportPage } from '../../shared/client-export/index.js';
import { NotFoundError } from '../../shared/errors/index.js';
import { formatInstant, TenantEntityManager, UNTRACKED } from '../../shared/persistence/index.js';
import { ClientAssignment } from '../domain/client-assignment.entity.js';
import type { Clinic } from '../domain/clinic.entity.js';
import { Client } from '../domain/person.entity.js';
import type { ExportedAssignment } from '../dto/client-export.js';
import { toClientView, toClinicView, type ClientView, type ClinicView } from '../dto/record-model.js';
import { Directory } from '../lookup/directory.js';
import { PersonNameReader } from '../lookup/person-name-reader.js';

/** A Client and their Clinic: the first two sections of the Client's export. */
export type ClientExportHeader = {
  clinic: ClinicView;
  client: ClientView;
};

/** Reads the directory's part of the export of a Client. */
@Injectable()
export class DirectoryExportSource {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly directory: Directory,
    private readonly names: PersonNameReader,
  ) {}

  /**
   * Finds a Client of the calling Clinic, even if deactivated, or the calling Client.
   *
   * @throws ForbiddenError if the caller does not exist or is deactivated
   * @throws NotFoundError if the Clinic has no such Client
   */
  async requireClient(caller: ClinicPrincipal, id: number): Promise<ClientExportHeader>;
  async requireClient(caller: ClientPrincipal): Promise<ClientExportHeader>;
  async requireClient(caller: ClinicPrincipal | ClientPrincipal, id?: number): Promise<ClientExportHeader> {
    if (caller.role === 'CLIENT') {
      const { client, clinic } = await this.directory.requireClient(caller);
      return this.toHeader(clinic, client);
    }
    const clinic = await this.directory.requireClinic(caller);
    const client = await this.em.findOne(Client, { clinicId: clinic.id, id: id! }, UNTRACKED);
    if (client === null) throw new NotFoundError();
    return this.toHeader(clinic, client);
  }

  /** Reads the Client's assignments to Care Providers. The paging key is the ID of the Care Provider. */
  async readAssignments(
    { clinicId, clientId }: ExportedClient,
    after = 0,
  ): Promise<ExportPage<ExportedAssignment, number>> {
    const assignments = await this.em.find(
      ClientAssignment,
      { clinicId, clientId, careProviderId: { $gt: after } },
      { orderBy: { careProviderId: 'asc' }, limit: EXPORT_PAGE_SIZE, ...UNTRACKED },
    );
    const careProviderIds = assignments.map(({ careProviderId }) => careProviderId);
    const { careProviders } = await this.names.findByIds(clinicId, { clientIds: [], careProviderIds });
    const items = assignments.map(({ careProviderId, assignedAt }) => ({
      careProvider: careProviders.get(careProviderId) ?? { id: careProviderId, name: '' },
      assignedAt: formatInstant(assignedAt),
    }));
    return { items, next: items.length < EXPORT_PAGE_SIZE ? undefined : careProviderIds.at(-1) };
  }

  private async toHeader(owner: Readonly<Clinic>, found: Readonly<Client>): Promise<ClientExportHeader> {
    const { id: clinicId } = owner;
    const where = { clinicId, clientId: found.id };
    const assignments = await this.em.find(ClientAssignment, where, {
      orderBy: { careProviderId: 'asc' },
      ...UNTRACKED,
    });
    const careProviderIds = assignments.map(({ careProviderId }) => careProviderId);
    return { clinic: toClinicView(owner), client: toClientView(found, careProviderIds) };
  }
}
