import { Injectable } from '@nestjs/common';
import type { ClinicPrincipal } from '../../shared/access/index.js';
import { NotFoundError } from '../../shared/errors/index.js';
import type { NdjsonLine } from '../../shared/http/index.js';
import { TenantEntityManager } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import type { Page } from '../../shared/validation/index.js';
import { ClientAssignment } from '../domain/client-assignment.entity.js';
import { DeactivationEvents } from '../events/deactivation-events.js';
import { Directory } from '../lookup/directory.js';
import { importClientSchema, type ImportResult } from '../dto/import-model.js';
import {
  toClientView,
  type ChangePerson,
  type ClientView,
  type CreatePerson,
  type PutPerson,
  type RecordQuery,
} from '../dto/record-model.js';
import { importRecords } from '../import/import-records.js';
import { ImportedTimeZoneChanges } from '../import/imported-time-zone-changes.js';
import { ImportedAssignments } from '../import/imported-assignments.js';
import { Client } from '../domain/person.entity.js';
import {
  FOR_UPDATE,
  toRecordPage,
  putRecord,
  rejectTakenExternalId,
  toListQuery,
  type PutResult,
} from '../record/record-queries.js';
import { TimeZoneEvents } from '../events/time-zone-events.js';

/** Manages the Clients of a Clinic. Each view of a Client includes the IDs of the assigned Care Providers. */
@Injectable()
export class ClientService {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly directory: Directory,
    private readonly deactivationEvents: DeactivationEvents,
    private readonly timeZoneEvents: TimeZoneEvents,
    private readonly clock: Clock,
  ) {}

  /** @throws ConflictError if the external ID is taken */
  create(caller: ClinicPrincipal, data: CreatePerson): Promise<number> {
    return rejectTakenExternalId(
      this.em.transactional(async (em) => {
        const clinic = await this.directory.requireClinic(caller);
        const client = new Client(clinic.id, data, this.clock.now());
        await em.persist(client).flush();
        return client.id;
      }),
    );
  }

  put(caller: ClinicPrincipal, externalId: string, data: PutPerson): Promise<PutResult> {
    const { clinicId } = caller;
    return putRecord(
      this.em,
      async () => {
        await this.directory.requireClinic(caller);
        return this.em.findOne(Client, { clinicId, externalId }, FOR_UPDATE);
      },
      () => new Client(clinicId, { ...data, externalId }, this.clock.now()),
      (client) => this.deactivationEvents.changePerson(client, () => client.replace(data)),
    );
  }

  import(caller: ClinicPrincipal, lines: readonly NdjsonLine[]): Promise<ImportResult[]> {
    const { clinicId } = caller;
    const assignments = new ImportedAssignments(this.em, clinicId, this.clock.now());
    const zones = new ImportedTimeZoneChanges(this.timeZoneEvents);
    return importRecords(this.em, lines, {
      schema: importClientSchema,
      findViolations: (records) => assignments.findViolations(records),
      find: async (externalIds) => {
        await this.directory.requireClinic(caller);
        return this.em.find(Client, { clinicId, externalId: { $in: externalIds } }, FOR_UPDATE);
      },
      create: (data) => new Client(clinicId, data, this.clock.now()),
      replace: (client, data) => zones.changeRecord(clinicId, client, () => client.replace(data)),
      afterWrite: async (entries) => {
        await zones.publish();
        await assignments.replace(entries);
        for (const { row, isDeactivated } of entries)
          if (isDeactivated) await this.deactivationEvents.publishDeactivation(row);
      },
    });
  }

  list(caller: ClinicPrincipal, query: RecordQuery): Promise<Page<ClientView>> {
    return this.em.transactional(async (em) => {
      const clinic = await this.directory.requireClinic(caller);
      const { where, options } = toListQuery(query);
      const clients = await em.find(Client, { ...where, clinicId: clinic.id }, options);
      const assigned = await this.findCareProviderIds(clinic.id, clients);
      return toRecordPage(clients, query, (client) => toClientView(client, assigned.get(client.id) ?? []));
    });
  }

  /** @throws NotFoundError if the Clinic has no such Client */
  get(caller: ClinicPrincipal, id: number): Promise<ClientView> {
    return this.em.transactional(async () => this.toView(await this.require(caller, id)));
  }

  /** @throws NotFoundError if the Clinic has no such Client */
  change(caller: ClinicPrincipal, id: number, data: ChangePerson): Promise<ClientView> {
    return this.em.transactional(async () => {
      const client = await this.requireLocked(caller, id);
      await this.deactivationEvents.changePerson(client, () => client.change(data));
      return this.toView(client);
    });
  }

  /** @throws NotFoundError if the Clinic has no such Client */
  deactivate(caller: ClinicPrincipal, id: number): Promise<void> {
    return this.em.transactional(async () => {
      const client = await this.requireLocked(caller, id);
      await this.deactivationEvents.changePerson(client, () => client.deactivate());
    });
  }

  private async toView(client: Client): Promise<ClientView> {
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

  /** Finds and locks the Client so that concurrent changes are applied one after another. */
  private requireLocked(caller: ClinicPrincipal, id: number): Promise<Client> {
    return this.require(caller, id, FOR_UPDATE);
  }

  private async require(caller: ClinicPrincipal, id: number, options: Partial<typeof FOR_UPDATE> = {}) {
    const clinic = await this.directory.requireClinic(caller);
    const client = await this.em.findOne(Client, { clinicId: clinic.id, id }, options);
    if (client === null) throw new NotFoundError();
    return client;
  }
}
