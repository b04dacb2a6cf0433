import { Injectable } from '@nestjs/common';
import type { ClinicPrincipal } from '../../shared/access/index.js';
import type { NdjsonRequest } from '../../shared/http/index.js';
import type { Page } from '../../shared/validation/index.js';
import { ClientAssignment } from '../domain/client-assignment.entity.js';
import { clientImportSchema, type ImportLineResult } from '../dto/import-model.js';
import { toClientView, type ClientView } from '../dto/record-model.js';
import type { PersonQuery } from '../dto/record-query.js';
import { importRecords } from '../import/import-records.js';
import { ImportedTimeZoneChanges } from '../import/imported-time-zone-changes.js';
import { ImportedAssignments } from '../import/imported-assignments.js';
import { Client, type PersonData } from '../domain/person.entity.js';
import { PersonService, type PersonFilter } from '../person/person.service.js';
import { mapPage } from '../record/record-lister.js';
import { FOR_UPDATE } from '../record/record-queries.js';
import { defineClientList } from './client-list.js';

/** Manages the Clients of a Clinic. Each view of a Client includes the IDs of the assigned Care Providers. */
@Injectable()
export class ClientService extends PersonService<Client, ClientView> {
  protected override readonly entity = Client;

  import(caller: ClinicPrincipal, request: NdjsonRequest): Promise<ImportLineResult[]> {
    const { clinicId } = caller;
    const assignments = new ImportedAssignments(this.em, clinicId, this.clock.now());
    const zones = new ImportedTimeZoneChanges(this.timeZoneEvents);
    return importRecords(this.em, request, {
      schema: clientImportSchema,
      findViolations: (records) => assignments.findViolations(records),
      entity: Client,
      find: (externalIds) => this.findImported(caller, externalIds),
      idFilter: (ids) => ({ clinicId, id: { $in: ids } }),
      lockReferences: (lines, clientIds) => assignments.lockCareProviders(lines, clientIds),
      create: (data) => this.instantiate(clinicId, data),
      replace: (client, data) => zones.changeAndTrack(clinicId, client, () => client.replace(data)),
      afterWrite: async (entries) => {
        await zones.publish();
        await assignments.replace(entries);
      },
      deactivation: this.handleImportedDeactivation(clinicId, 'CLIENT'),
    });
  }

  list(caller: ClinicPrincipal, query: PersonQuery): Promise<Page<ClientView>> {
    return this.em.transactional(async (em) => {
      const clinic = await this.directory.requireClinic(caller);
      const page = await this.lister.list(defineClientList(em, clinic.id), query);
      const assigned = await this.findCareProviderIds(clinic.id, page.items);
      return mapPage(page, (client) => toClientView(client, assigned.get(client.id) ?? []));
    });
  }

  protected override instantiate(clinicId: number, data: PersonData): Client {
    return new Client(clinicId, data, this.clock.now());
  }

  protected override findOne(where: PersonFilter, options: Partial<typeof FOR_UPDATE>): Promise<Client | null> {
    return this.em.findOne(Client, where, options);
  }

  protected override async toView(client: Client): Promise<ClientView> {
    return toClientView(client, (await this.findCareProviderIds(client.clinicId, [client])).get(client.id) ?? []);
  }

  private async findCareProviderIds(clinicId: number, clients: readonly Client[]): Promise<Map<number, number[]>> {
    const clientId = { $in: clients.map((client) => client.id) };
    const assignments = await this.em.find(
      ClientAssignment,
      { clinicId, clientId },
      { orderBy: { careProviderId: 'asc' } },
    );
    const byClient = Map.groupBy(assignments, (assignment) => assignment.clientId);
    return new Map([...byClient].map(([id, list]) => [id, list.map((assignment) => assignment.careProviderId)]));
  }
}
