import { Injectable } from '@nestjs/common';
import type { CareProviderPrincipal } from '../../shared/access/index.js';
import { NotFoundError } from '../../shared/errors/index.js';
import { TenantEntityManager, UNTRACKED } from '../../shared/persistence/index.js';
import type { Page } from '../../shared/validation/index.js';
import { ClientAssignment } from '../domain/client-assignment.entity.js';
import { Client } from '../domain/person.entity.js';
import { toAssignedClientView, type AssignedClientView } from '../dto/care-provider-reading-model.js';
import type { PersonQuery } from '../dto/record-query.js';
import { defineClientList } from '../client/client-list.js';
import { Directory } from '../lookup/directory.js';
import { mapPage, RecordLister } from '../record/record-lister.js';

/** Reads the Clients that are assigned to the calling Care Provider. Any other Client is treated as not found. */
@Injectable()
export class AssignedClientReader {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly directory: Directory,
    private readonly lister: RecordLister,
  ) {}

  list(caller: CareProviderPrincipal, query: PersonQuery): Promise<Page<AssignedClientView>> {
    return this.em.transactional(async (em) => {
      const clinic = await this.directory.requireStaffClinic(caller);
      const assignedAt = await this.findAssignments(clinic.id, caller);
      const list = { ...defineClientList(em, clinic.id), visibleIds: new Set(assignedAt.keys()) };
      const page = await this.lister.list(list, query);
      return mapPage(page, (client) => toAssignedClientView(client, assignedAt.get(client.id)!, clinic));
    });
  }

  /** @throws NotFoundError if the Client is not assigned to the caller */
  get(caller: CareProviderPrincipal, id: number): Promise<AssignedClientView> {
    return this.em.transactional(async (em) => {
      const clinic = await this.directory.requireStaffClinic(caller);
      const assignedAt = (await this.findAssignments(clinic.id, caller, { clientId: id })).get(id);
      if (assignedAt === undefined) throw new NotFoundError();
      const client = await em.findOneOrFail(Client, { clinicId: clinic.id, id }, UNTRACKED);
      return toAssignedClientView(client, assignedAt, clinic);
    });
  }

  /** Returns the times of assignment, keyed by Client ID. */
  private async findAssignments(
    clinicId: number,
    { caregiverId: careProviderId }: CareProviderPrincipal,
    client: { clientId?: number } = {},
  ): Promise<Map<number, Temporal.Instant>> {
    const assignments = await this.em.find(ClientAssignment, { clinicId, careProviderId, ...client }, UNTRACKED);
    return new Map(assignments.map(({ clientId, assignedAt }) => [clientId, assignedAt]));
  }
}
